import { describe, expect, it } from 'vitest';
import { LiveNumbers } from '#dashboard/charts/live/live-numbers.ts';
import { LiveStates } from '#dashboard/charts/live/live-states.ts';
import type { NumberSeries, StateSeries } from '#dashboard/charts/series/series.ts';
import { counterStatisticsOf, stateStatisticsOf, statisticsOf } from '#dashboard/charts/tracks/statistics.ts';
import { summariseSeries } from '#dashboard/charts/summarise-series.ts';
import { figuresOf } from '#dashboard/pages/telemetry/series-figures.ts';

const HOUR = 3_600_000;
const day = { fromMs: 0, toMs: 24 * HOUR };
const cpu = (columns: NumberSeries['columns'], unit: string | null = '%'): NumberSeries => ({
  id: 'cpu',
  label: 'CPU',
  unit,
  colour: 1,
  kind: 'number',
  columns,
});
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

describe('the statistics of a series', () => {
  it('have no sign where the change is rounded to zero', () => {
    const figures = figuresOf([cpu({ ts: [0, 1, 2], value: [50, 10, 49.999] })], day, undefined).get('cpu');
    expect(figures).toMatchObject({ change: expect.stringMatching(/^0/) });
  });

  it('are those of its samples', () => {
    expect(statisticsOf(cpu({ ts: [0, 1, 2, 3], value: [4, null, 8, 6] }))).toEqual({
      min: 4,
      max: 8,
      mean: 6,
      first: { ts: 0, value: 4 },
      last: { ts: 3, value: 6 },
      change: 2,
      count: 3,
    });
  });

  it('weight buckets by their count', () => {
    const columns = {
      bucketMs: 10,
      ts: [0, 10],
      avg: [10, 20],
      min: [5, 19],
      max: [11, 40],
      count: [30, 10],
    };
    expect(statisticsOf(cpu(columns))).toMatchObject({ min: 5, max: 40, mean: 12.5, count: 40 });
  });

  it('of a counter are its rates, their mean over time, and its increase', () => {
    const increases = cpu({ ts: [1_000, 11_000], value: [10, 10] }, null);
    const rates = cpu({ ts: [1_000, 11_000], value: [10, 1] }, '1/s');
    const counter = { increases, rates, perMs: 1_000, startMs: 0 };
    expect(counterStatisticsOf(counter, day)).toMatchObject({
      max: 10,
      mean: 20 / 11,
      last: { value: 1 },
      change: 20,
      count: 2,
    });
  });

  it('begin and end with samples, not with the means of buckets', () => {
    const columns = {
      bucketMs: 10,
      ts: [0, 10],
      avg: [10, 20],
      min: [5, 19],
      max: [11, 40],
      first: [7, 25],
      last: [9, 31],
    };
    expect(statisticsOf(cpu(columns))).toMatchObject({
      first: { ts: 0, value: 7 },
      last: { ts: 10, value: 31 },
    });
  });

  it('have the sum of increases as their change', () => {
    const series = { ...cpu({ ts: [0, 1, 2], value: [4, 0, 8] }), isIncrease: true };
    expect(statisticsOf(series)?.change).toBe(12);
  });

  it('are of the span where one is given, live samples included', () => {
    const live = new LiveNumbers(10, 100, 100);
    live.push([100, 200], [50, 1]);
    const series = cpu({ ts: [0, 10, 20], value: [1, 2, 3] });
    expect(statisticsOf(series, { fromMs: 10, toMs: 150 }, live)).toMatchObject({
      min: 2,
      max: 50,
      count: 3,
    });
  });

  it('include the start of a span and exclude its end', () => {
    const series = cpu({ ts: [0, 10, 20], value: [1, 2, 3] });
    expect(statisticsOf(series, { fromMs: 10, toMs: 20 })).toMatchObject({ min: 2, max: 2, count: 1 });
  });

  it('are undefined without samples', () => {
    expect(statisticsOf(cpu({ ts: [], value: [] }))).toBeUndefined();
    expect(statisticsOf(cpu({ ts: [5], value: [1] }), { fromMs: 10, toMs: 20 })).toBeUndefined();
  });
});

describe('the summary of a series', () => {
  it('says its range and its last value', () => {
    const series = cpu({ ts: [HOUR, 2 * HOUR, 3 * HOUR], value: [3, 87, 12] });
    expect(plain(summariseSeries(series, day, undefined, 'en'))).toBe(
      'CPU, 24 h: between 3 and 87 %, last 12 %',
    );
  });

  it('has the decimals that its range needs', () => {
    const summaryOf = (...value: number[]) => {
      const series = cpu({ ts: value.map((_, index) => (index + 1) * HOUR), value });
      return plain(summariseSeries(series, day, undefined, 'en'));
    };
    expect(summaryOf(19.03125, 24.87311, 21.2231)).toBe('CPU, 24 h: between 19.03 and 24.87 %, last 21.22 %');
    expect(summaryOf(3.12345, 87.65432, 12.5)).toBe('CPU, 24 h: between 3.1 and 87.7 %, last 12.5 %');
    expect(summaryOf(101.325, 1033.871, 990)).toBe('CPU, 24 h: between 101 and 1,034 %, last 990 %');
    expect(summaryOf(0.00123456, 0.0045678, 0.002)).toBe(
      'CPU, 24 h: between 0.00123 and 0.00457 %, last 0.002 %',
    );
    expect(summaryOf(33.33333333)).toBe('CPU, 24 h: one sample, 33.33 %');
    expect(summaryOf(33.33333333, 33.33333333)).toBe('CPU, 24 h: constant at 33.33 %');
  });

  it('has one format for all values, with the digits that they need to differ', () => {
    const energy = cpu({ ts: [HOUR, 2 * HOUR], value: [1_795_458_378, 1_795_458_912] }, 'Wh');
    expect(plain(summariseSeries(energy, day, undefined, 'en'))).toBe(
      'CPU, 24 h: between 1.795458 and 1.795459 GWh, last 1.795459 GWh',
    );
    const wide = cpu({ ts: [HOUR, 2 * HOUR], value: [5_000, 2_500_000_000] }, 'Wh');
    expect(plain(summariseSeries(wide, day, undefined, 'en'))).toBe(
      'CPU, 24 h: between 5,000 Wh and 2.5 GWh, last 2.5 GWh',
    );
  });

  it('is short without changes', () => {
    expect(plain(summariseSeries(cpu({ ts: [HOUR, 2 * HOUR], value: [3, 3] }), day, undefined, 'en'))).toBe(
      'CPU, 24 h: constant at 3 %',
    );
    expect(plain(summariseSeries(cpu({ ts: [], value: [] }), day, undefined, 'en'))).toBe(
      'CPU, 24 h: no data',
    );
  });

  it('counts the changes of a state', () => {
    const door: StateSeries = {
      id: 'door',
      label: 'Door',
      unit: null,
      colour: 2,
      kind: 'string',
      columns: { ts: [HOUR, 5 * HOUR, 6 * HOUR], value: ['closed', 'open', 'closed'] },
    };
    expect(plain(summariseSeries(door, day, undefined, 'en'))).toBe('Door, 24 h: 2 changes, last closed');
  });
});

describe('the statistics of a state', () => {
  const span = { fromMs: 0, toMs: 1_000 };
  const stateOf = (kind: 'boolean' | 'string', columns: StateSeries['columns']): StateSeries => ({
    id: 's',
    label: 'S',
    unit: null,
    colour: 1,
    kind,
    columns,
  });

  it('of buckets are those of steps, because changes within a bucket are not known', () => {
    const buckets = { ts: [0, 300_000], value: ['heat', 'heat'], bucketMs: 300_000, count: [10, 10] };
    const steady = stateOf('string', buckets);
    expect(plain(summariseSeries(steady, day, undefined, 'en'))).toBe(
      'S, 24 h: constant at heat in steps of 5 min',
    );
    const changing = stateOf('string', { ...buckets, value: ['heat', 'idle'] });
    expect(plain(summariseSeries(changing, day, undefined, 'en'))).toBe(
      'S, 24 h: 1 change in steps of 5 min, last idle',
    );
    const figures = figuresOf([steady], day, undefined).get(steady.id);
    expect(figures).toMatchObject({ changes: 'no change in steps of 5\u00a0min' });
  });

  it('are the share of the time of the longest state, the changes and the samples', () => {
    const mode = stateOf('string', { ts: [0, 100, 800], value: ['off', 'on', 'off'] });
    expect(stateStatisticsOf(mode, span)).toEqual({
      last: 'off',
      changes: 2,
      count: 3,
      main: { value: 'on', share: 0.7 },
    });
    expect(stateStatisticsOf(mode, { fromMs: 2_000, toMs: 3_000 })?.count).toBe(0);
    expect(stateStatisticsOf(stateOf('string', { ts: [], value: [] }), span)).toBeUndefined();
  });

  it('have the share of true for booleans, also if it is none', () => {
    const door = stateOf('boolean', { ts: [0, 500], value: [false, false] });
    expect(stateStatisticsOf(door, span)?.main).toEqual({ value: true, share: 0 });
  });

  it('count the samples of buckets, and live ones once', () => {
    const live = new LiveStates(new LiveNumbers(10, 100, 100));
    const ts = Array.from({ length: 20 }, (_, n) => 500 + n * 10);
    live.push(
      ts,
      ts.map(() => 'on'),
    );
    const raw = stateOf('string', { ts: [490, 500, 510], value: ['on', 'on', 'on'] });
    expect(stateStatisticsOf(raw, span, live)?.count).toBe(21);
    const buckets = stateOf('string', { bucketMs: 100, ts: [200, 300], value: ['on', 'off'], count: [7, 9] });
    expect(stateStatisticsOf(buckets, span, live)?.count).toBe(36);
  });
});
