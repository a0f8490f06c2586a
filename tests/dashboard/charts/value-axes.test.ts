import { describe, expect, it } from 'vitest';
import { axisWidthFor, LABEL_GAP } from '#dashboard/charts/draw/axis-width.tsx';
import type { NumberSeries } from '#dashboard/charts/series/series.ts';
import { axisOf, chooseAxes, NO_AXES, splitByAxis } from '#dashboard/charts/series/value-axes.ts';

const series = (id: string, value: number[], unit: string | null = null): NumberSeries => ({
  id,
  label: id,
  unit,
  colour: 1,
  kind: 'number',
  columns: { ts: value.map((_, n) => n), value },
});
const axesOf = (all: readonly NumberSeries[], before = NO_AXES) => {
  const choice = chooseAxes(all, before);
  return { choice, axes: all.map((each) => axisOf(each, choice)) };
};

describe('the value axis of a series', () => {
  it('is that of its unit', () => {
    const all = [series('a', [20], '°C'), series('b', [3_000_000], 'Wh'), series('c', [900], '°C')];
    expect(axesOf(all).axes).toEqual(['unit °C', 'unit Wh', 'unit °C']);
  });

  it('without units is shared with values of about the same magnitude', () => {
    const all = [
      series('temperature', [20, 22]),
      series('humidity', [40, 60]),
      series('energy', [3_000_000, 3_000_100]),
      series('signal', [-71, -80]),
    ];
    const { axes } = axesOf(all);
    expect(axes).toEqual(['magnitude 0', 'magnitude 0', 'magnitude 1', 'magnitude 0']);
  });

  it('never changes, whatever values arrive and whichever series are added', () => {
    const first = axesOf([series('energy', [2]), series('temperature', [20])]);
    const later = axesOf(
      [series('humidity', [50]), series('energy', [3_000_000]), series('temperature', [20])],
      first.choice,
    );
    expect(later.axes.slice(1)).toEqual(first.axes);
  });

  it('is one of at most four', () => {
    const all = Array.from({ length: 9 }, (_, n) => series(`s${n}`, [100 ** n]));
    expect(new Set(axesOf(all).axes).size).toBe(4);
  });

  it('is chosen when a series has its first value', () => {
    const empty = [series('a', [1]), series('energy', [])];
    const { choice, axes } = axesOf(empty);
    expect(axes[1]).toBe('magnitude 0');
    expect(axesOf([series('a', [1]), series('energy', [5_000])], choice).axes[1]).toBe('magnitude 1');
  });
});

it('series are drawn two axes to a plot, each in one plot', () => {
  const all = ['a', 'b', 'a', 'c', 'd'].map((axis, id) => ({ axis, id }));
  expect(splitByAxis(all).map((group) => group.map(({ id }) => id))).toEqual([
    [0, 1, 2],
    [3, 4],
  ]);
});

describe('the width of a value axis', () => {
  // Measured in Chromium with the font of the dashboard.
  const LONG = { label: '5.91000M', px: 55 };

  it('has room for a label in front of the gap to the axis', () => {
    expect(axisWidthFor(['0', LONG.label]) - LABEL_GAP).toBeGreaterThanOrEqual(LONG.px);
  });

  it('is the same for labels of up to six characters', () => {
    const short = axisWidthFor(['0']);
    const labels = ['100', '-12.5k', '100.0k', '12.345'];
    expect(labels.filter((label) => axisWidthFor([label]) !== short)).toEqual([]);
  });
});
