import type { Across } from '#contract/across.ts';
import type { TelemetryAnswer } from '#contract/telemetry.ts';
import type { CombinedSeries, StoredSeries } from '../store/telemetry-store.ts';

/** JSON has no infinity, so a sum that is too large becomes null. */
export const numbersOf = (column: ArrayLike<number>): (number | null)[] =>
  Array.from(column, (number) => (Number.isFinite(number) ? number : null));

/** A series of one device. */
export const seriesJson = (
  { device, metric, kind, unit: _, ts, ...columns }: StoredSeries,
  { externalId, unit }: { externalId: string; unit: string | null },
): string => {
  const plain = Object.entries(columns).map(([name, column]) => [
    name,
    column instanceof Float64Array ? numbersOf(column) : column,
  ]);
  return JSON.stringify({
    device,
    externalId,
    metric,
    kind,
    unit,
    ts: [...ts],
    ...Object.fromEntries(plain),
  });
};

/** A series of several devices. */
export const combinedJson = (
  { metric, devices, ts, count, columns }: CombinedSeries,
  { across, unit, hasCount }: { across: Across; unit: string | null; hasCount: boolean },
): string => {
  const values = Object.entries(columns).map(([name, { values, devices: deviceCount }]) => {
    const combined = across === 'mean' ? values.map((sum, i) => sum / deviceCount[i]!) : values;
    return [name, numbersOf(combined.map((value, i) => (deviceCount[i] === 0 ? Number.NaN : value)))];
  });
  return JSON.stringify({
    device: null,
    externalId: null,
    metric,
    kind: 'number',
    unit,
    devices: devices.length,
    ts: [...ts],
    ...Object.fromEntries(values),
    ...(hasCount && { count: [...count] }),
  });
};

type Head = { readonly fromMs: number; readonly toMs: number; readonly bucketMs: number | null };

/** The result of a query as pieces of JSON, one per series, so that 500 series do not block other requests. */
export function* answerJson(
  { fromMs, toMs, bucketMs }: Head,
  series: readonly (() => string)[],
  { top }: Pick<TelemetryAnswer, 'top'> = {},
): Generator<string, void> {
  yield `{"from":${fromMs},"to":${toMs},"bucketMs":${bucketMs},"series":[`;
  for (const [i, json] of series.entries()) yield `${i === 0 ? '' : ','}${json()}`;
  yield top === undefined ? ']}' : `],"top":${JSON.stringify(top)}}`;
}
