import { describe, expect, it } from 'vitest';
import { LiveNumbers } from '#dashboard/charts/live/live-numbers.ts';
import type { NumberSeries } from '#dashboard/charts/series/series.ts';
import { valueRowsOf } from '#dashboard/charts/tracks/value-rows.ts';

const seriesOf = (columns: NumberSeries['columns']): NumberSeries => ({
  id: 't',
  label: 'T',
  unit: null,
  colour: 1,
  kind: 'number',
  columns,
});
const span = { fromMs: 0, toMs: 1_000 };

describe('the values of a live series', () => {
  it.each([
    ['raw', 100],
    ['folded', 4],
  ])('are buckets as wide as those of the history, while live samples are %s', (_, rawCapacity) => {
    const history = { bucketMs: 100, ts: [200, 300], avg: [1, 4], min: [1, 2], max: [1, 6], count: [5, 2] };
    const live = new LiveNumbers(10, rawCapacity, 100);
    const ts = [350, 360, 401, 420, 480, 499, 500, 777];
    live.push(
      ts,
      ts.map((at) => at / 10),
    );
    const rows = valueRowsOf(seriesOf(history), live, span);
    expect(rows.map((row) => row.ts)).toEqual([200, 300, 400, 500, 700]);
    expect(rows[0]).toEqual({ ts: 200, value: 1, low: 1, high: 1, count: 5 });
    expect(rows[1]).toMatchObject({ low: 2, high: 36, count: 4 });
    expect(rows[1]?.value).toBeCloseTo((4 + 4 + 35 + 36) / 4);
    expect(rows[2]).toMatchObject({ low: 40.1, high: 49.9, count: 4 });
    expect(rows[2]?.value).toBeCloseTo(45);
  });

  it('are samples where the history has samples', () => {
    const live = new LiveNumbers(10, 100, 100);
    live.push([350, 360], [3, 4]);
    const rows = valueRowsOf(seriesOf({ ts: [200, 300], value: [1, 2] }), live, span);
    expect(rows.map(({ ts, value, count }) => [ts, value, count])).toEqual([
      [200, 1, 1],
      [300, 2, 1],
      [350, 3, 1],
      [360, 4, 1],
    ]);
  });

  it('keep the days of a calendar apart, of which one may be shorter', () => {
    const days = { bucketMs: 240, ts: [0, 240, 470], avg: [1, 2, 3] };
    expect(valueRowsOf(seriesOf(days), undefined, span).map((row) => row.ts)).toEqual([0, 240, 470]);
  });
});
