import { useMemo, useState } from 'react';
import { columnsOf } from './columns.ts';
import type { NumberSeries } from './series.ts';

/** The magnitude of the first series on each axis without a unit, and the axis of each series, by its ID. */
export interface AxisChoice {
  readonly magnitudes: readonly number[];
  readonly bySeries: ReadonlyMap<string, number>;
}

export const NO_AXES: AxisChoice = { magnitudes: [], bySeries: new Map() };

/** Values that differ by more than this factor would flatten each other on one axis. */
const MAX_RATIO = 20;
const MAX_AXES = 4;

/** The greatest distance from 0; undefined without values. */
export function magnitudeOf({ columns }: NumberSeries): number | undefined {
  const { low, middle, high } = columnsOf({ columns });
  let most: number | undefined;
  for (const column of [low ?? middle, high ?? middle])
    for (const value of column) if (Number.isFinite(value)) most = Math.max(most ?? 0, Math.abs(value));
  return most;
}

const ratioOf = (a: number, b: number): number => (a === 0 || b === 0 ? 1 : Math.max(a, b) / Math.min(a, b));

/**
 * Chooses an axis for each series without a unit: with those of about the same magnitude. A choice is never changed, so
 * that no line jumps while someone looks at it.
 */
export function chooseAxes(series: readonly NumberSeries[], before: AxisChoice): AxisChoice {
  const magnitudes = [...before.magnitudes];
  const bySeries = new Map(before.bySeries);
  for (const each of series) {
    if (each.unit !== null || bySeries.has(each.id)) continue;
    const magnitude = magnitudeOf(each);
    if (magnitude === undefined) continue;
    const ratios = magnitudes.map((axis) => ratioOf(axis, magnitude));
    const nearest = ratios.indexOf(Math.min(...ratios));
    const fits = nearest !== -1 && (ratios[nearest]! <= MAX_RATIO || magnitudes.length === MAX_AXES);
    bySeries.set(each.id, fits ? nearest : magnitudes.push(magnitude) - 1);
  }
  return bySeries.size === before.bySeries.size ? before : { magnitudes, bySeries };
}

/** The axis of a series: its unit, or the chosen one. */
export const axisOf = ({ id, unit, axis }: NumberSeries, { bySeries }: AxisChoice): string =>
  axis ?? (unit === null ? `magnitude ${bySeries.get(id) ?? 0}` : `unit ${unit}`);

/** Series with the axis of each, which stays while the chart is mounted. */
export function useValueAxes(series: readonly NumberSeries[]): NumberSeries[] {
  const [choice, setChoice] = useState(NO_AXES);
  const next = chooseAxes(series, choice);
  if (next !== choice) setChoice(next);
  return useMemo(() => series.map((each) => ({ ...each, axis: axisOf(each, next) })), [series, next]);
}

/**
 * Groups series for charts with at most two value axes, in the order of their first appearance. A third axis gets its
 * own chart.
 */
export function splitByAxis<T extends { axis?: string | undefined }>(series: readonly T[]): T[][] {
  const axes = [...new Set(series.map(({ axis }) => axis))];
  const groups: T[][] = [];
  for (let i = 0; i < axes.length; i += 2) {
    const pair = axes.slice(i, i + 2);
    groups.push(series.filter(({ axis }) => pair.includes(axis)));
  }
  return groups;
}
