import { describe, expect, it } from 'vitest';
import { increasesOf } from '#contract/counter-buckets.ts';
import { QueryTooLarge } from '#service/platform/storage/store-errors.ts';
import { ALL, plain, type TestedStore } from './tested-store.ts';

/** What every engine returns for given samples. */
export const describeReads = (tested: TestedStore): void => {
  const { write, readRaw } = tested;

  describe('a read', () => {
    it('puts every series into buckets where one of them holds too many samples', async () => {
      await write(
        { ts: 0, value: 1 },
        { ts: 1, value: 2 },
        { ts: 2, value: 3 },
        { metric: 'on', ts: 1, value: true },
      );
      const selection = { ...ALL, fromMs: 0, toMs: 10 };
      const { bucketMs, series } = await tested.store.read(selection, { points: 2 }, [
        'avg',
        'first',
        'last',
        'count',
      ]);
      expect(bucketMs).toBe(5);
      expect(series.map(plain)).toEqual([
        { metric: 'on', kind: 'boolean', ts: [0], first: [true], last: [true], count: [1] },
        { metric: 'temp', kind: 'number', ts: [0], avg: [2], first: [1], last: [3], count: [3] },
      ]);
    });

    it('names a series that holds nothing in the range', async () => {
      await write({ ts: 0, value: 1 });
      const { series } = await tested.store.read({ ...ALL, fromMs: 5, toMs: 9 }, { points: 5 }, []);
      expect(series.map(plain)).toEqual([{ metric: 'temp', kind: 'number', ts: [], value: [] }]);
    });
  });

  describe('a read of more text than one read returns', () => {
    const [metrics, samples] = [17, 1_000];
    const text = 'x'.repeat(1_000);
    const writeTexts = async (): Promise<void> => {
      for (let n = 0; n < metrics; n += 1)
        await write(
          ...Array.from({ length: samples }, (_, ts) => ({ metric: `mode-${n}`, ts, value: `${ts}${text}` })),
        );
    };
    const rangeOf = (toMs: number) => ({ ...ALL, fromMs: 0, toMs });

    it('is rejected, raw and in buckets, and the next read is answered', async () => {
      await writeTexts();
      const { read } = tested.store;
      await expect(read(rangeOf(samples), { points: samples }, [])).rejects.toThrow(QueryTooLarge);
      await expect(read(rangeOf(samples), { bucketMs: 2 }, ['first', 'last'])).rejects.toThrow(
        'This query reads more text than the limit of 16777216 characters.',
      );
      const { series } = await read(rangeOf(samples), { bucketMs: 2 }, ['last', 'count']);
      expect(series).toHaveLength(metrics);
      const shorter = await read(rangeOf(samples / 2), { points: samples }, []);
      expect(shorter.series.every(({ value }) => value?.length === samples / 2)).toBe(true);
    });

    it('returns buckets where a later series has too many samples for raw ones', async () => {
      await writeTexts();
      await write(...Array.from({ length: samples + 1 }, (_, ts) => ({ metric: 'temp', ts, value: ts })));
      const { bucketMs, series } = await tested.store.read(rangeOf(samples + 1), { points: samples }, [
        'count',
      ]);
      expect(bucketMs).toBe(2);
      expect(series).toHaveLength(metrics + 1);
    });
  });

  describe('numbers at the limits', () => {
    const numbers = [5e-324, 1.7e308, 1.7e308, -5e-324, 2.5, Number.MIN_SAFE_INTEGER];

    it('are stored exactly', async () => {
      await write(...numbers.map((value, ts) => ({ ts, value })));
      expect(await readRaw()).toMatchObject([{ value: numbers }]);
    });

    it('have sums that are Infinity where they are too large', async () => {
      await write(
        ...numbers.map((value, ts) => ({ ts, value })),
        { ts: 100, value: 1 },
        { ts: 101, value: 2 },
      );
      const { series } = await tested.store.read(ALL, { bucketMs: 100 }, ['sum', 'avg', 'min', 'max']);
      expect(series.map(plain)).toMatchObject([
        {
          ts: [0, 100],
          sum: [Infinity, 3],
          avg: [Infinity, 1.5],
          min: [Number.MIN_SAFE_INTEGER, 1],
          max: [1.7e308, 2],
        },
      ]);
    });
  });

  it('gives the first and last text and the increase of a counter in each bucket', async () => {
    const counter = [5, 7, 2, 4, 9];
    await write(
      ...counter.map((value, i) => ({ metric: 'energy', ts: i * 6, value })),
      ...['a', 'b"\\', '\u00fc', 'd'].map((value, i) => ({ metric: 'mode', ts: i * 6, value })),
    );
    const { series } = await tested.store.read(ALL, { bucketMs: 10 }, ['first', 'last', 'increase', 'count']);
    const buckets = {
      bucketMs: 10,
      ts: [0, 10, 20],
      first: [5, 2, 9],
      last: [7, 4, 9],
      min: [5, 2, 9],
      max: [7, 4, 9],
    };
    expect(series.map(plain)).toEqual([
      {
        metric: 'energy',
        kind: 'number',
        ts: [0, 10, 20],
        count: [2, 2, 1],
        first: buckets.first,
        last: buckets.last,
        increase: Array.from(increasesOf(buckets)),
      },
      {
        metric: 'mode',
        kind: 'string',
        ts: [0, 10],
        count: [2, 2],
        first: ['a', '\u00fc'],
        last: ['b"\\', 'd'],
      },
    ]);
  });

  it('combines the devices of a metric in each bucket', async () => {
    await write(
      { ts: 1, value: 1 },
      { ts: 2, value: 3 },
      { device: 'dev_b', ts: 3, value: 5 },
      { device: 'dev_b', ts: 11, value: 7 },
      { device: 'dev_b', metric: 'on', ts: 1, value: true },
    );
    const { bucketMs, series } = await tested.store.readCombined(
      { devices: ['dev_a', 'dev_b'], fromMs: 0, toMs: 20 },
      { bucketMs: 10 },
      { across: 'sum', aggregates: ['avg', 'max'], leastBucketMs: 0 },
    );
    expect(bucketMs).toBe(10);
    expect(series).toMatchObject([{ metric: 'temp', devices: ['dev_a', 'dev_b'] }]);
    const [temp] = series;
    expect(
      [temp?.ts, temp?.count, temp?.columns.avg?.values, temp?.columns.max?.values].map((each) =>
        Array.from(each!),
      ),
    ).toEqual([
      [0, 10],
      [2, 1],
      [7, 7],
      [8, 7],
    ]);
  });

  it('keeps series apart whose names differ in quotes, backslashes and control characters', async () => {
    const metrics = [
      "it's",
      'it\\s',
      "it\\'s",
      'it"s',
      "'; drop table telemetry_sample; --",
      'it\ts',
      'it\ns',
    ];
    await write(...metrics.map((metric, ts) => ({ device: "dev_'\\", metric, ts, value: ts })));
    const found = await tested.store.metrics(["dev_'\\"], metrics);
    expect(found.map(({ metric, value }) => [metric, value])).toEqual(
      metrics.map((metric, value) => [metric, value]).toSorted(([a], [b]) => (a! < b! ? -1 : 1)),
    );
  });

  it('gives buckets between very many uneven starts', async () => {
    const given = Array.from({ length: 600 }, (_, i) => ({ ts: i * (i % 2 === 0 ? 10 : 11), value: i }));
    await write(...given);
    const starts = given.map(({ ts }) => ts).toSorted((a, b) => a - b);
    const resolution = { bucketMs: 10, starts: Float64Array.from(starts) };
    const { series } = await tested.store.read({ ...ALL, fromMs: 0, toMs: 9_999 }, resolution, [
      'count',
      'sum',
    ]);
    const byTime = given.toSorted((a, b) => a.ts - b.ts);
    expect(series.map(plain)).toMatchObject([
      { ts: starts, count: starts.map(() => 1), sum: byTime.map(({ value }) => value) },
    ]);
  });

  it('has the value at a time, unless the metric has only later ones', async () => {
    await write({ ts: 10, value: 1 }, { ts: 20, value: 2 }, { ts: 30, value: 3 });
    const latest = async (untilMs: number) => (await tested.store.metrics(['dev_a'], undefined, untilMs))[0];
    expect(await latest(25)).toMatchObject({ firstTs: 10, lastTs: 20, value: 2 });
    expect(await latest(20)).toMatchObject({ lastTs: 20 });
    expect(await latest(5)).toMatchObject({ lastTs: 30, value: 3 });
  });

  it('counts all samples of a series in buckets of any width and range', async () => {
    await write(...[-5, 0, 10, 20].map((ts) => ({ ts, value: ts })));
    const all = { devices: ALL.devices, fromMs: -Infinity, toMs: Infinity };
    const { series } = await tested.store.read(all, { bucketMs: 3e12 }, ['count']);
    expect(series.map(plain)).toMatchObject([{ count: [1, 3] }]);
  });

  it('counts the series of each device', async () => {
    await write(
      { ts: 1, value: 1 },
      { metric: 'on', ts: 1, value: true },
      { device: 'dev_b', ts: 1, value: 1 },
    );
    const { byDevice, metrics } = await tested.store.countSeriesByDevice(['dev_b', 'dev_x', 'dev_a']);
    expect([Array.from(byDevice), metrics]).toEqual([[1, 0, 2], 2]);
  });
};
