import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counterColumns, counterUnit } from '#dashboard/charts/series/counter.ts';
import type { BucketColumns, RawColumns } from '#dashboard/charts/series/series.ts';

const valuesOf = (columns: RawColumns | BucketColumns): number[] =>
  [...('bucketMs' in columns ? columns.avg : columns.value)].map(Number);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** The samples of a counter as the service puts them into buckets. */
const inBuckets = (value: readonly number[], width: number) => {
  const groups = value.flatMap((_, i) => (i % width === 0 ? [value.slice(i, i + width)] : []));
  return {
    bucketMs: width,
    ts: groups.map((_, i) => i * width),
    avg: groups.map((group) => sum(group) / group.length),
    min: groups.map((group) => Math.min(...group)),
    max: groups.map((group) => Math.max(...group)),
    count: groups.map((group) => group.length),
    first: groups.map((group) => group[0]!),
    last: groups.map((group) => group.at(-1)!),
  } satisfies BucketColumns;
};

describe('a counter', () => {
  it('increases from sample to sample, and from 0 after a restart', () => {
    const shown = counterColumns({ ts: [0, 10, 20, 40], value: [5, 7, 1, 4] }, 'increase', 50);
    expect(shown).toEqual({ ts: [10, 20, 40], value: [2, 1, 3] });
  });

  it('has a rate by the time between samples', () => {
    const columns = { ts: [0, 30_000, 90_000], value: [0, 1, 4] };
    expect(valuesOf(counterColumns(columns, 'rate-h', 90_000))).toEqual([120, 180]);
    expect(valuesOf(counterColumns(columns, 'rate-min', 90_000))).toEqual([2, 3]);
  });

  it('skips missing values', () => {
    const shown = counterColumns({ ts: [0, 1, 2], value: [1, null, 4] }, 'increase', 3);
    expect(shown).toEqual({ ts: [2], value: [3] });
  });

  it('has the rate of a bucket that the range cuts off by the time in the range', () => {
    const buckets = { ...inBuckets([0, 10, 20, 30], 1), bucketMs: 1_000, ts: [0, 1_000, 2_000, 3_000] };
    expect(valuesOf(counterColumns(buckets, 'rate-s', 3_500))).toEqual([10, 10, 20]);
  });

  it('increases in buckets by as much as its samples do, with up to one restart in a bucket', () => {
    const width = 6;
    const steps = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: width, maxLength: width });
    // The sample of a bucket before which the counter restarts; none in the first, whose increase is not shown.
    const restart = fc.option(fc.integer({ min: 0, max: width - 1 }));
    const run = fc.array(fc.record({ steps, restart }), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(run, (buckets) => {
        const value: number[] = [];
        let now = 1_000;
        for (const [index, bucket] of buckets.entries())
          for (const [i, step] of bucket.steps.entries()) {
            now = index > 0 && bucket.restart === i ? 0 : now + step;
            value.push(now);
          }
        // A bucket that rises past all earlier values again does not show how far it had risen.
        const isAmbiguous = inBuckets(value, width).max.some((max, i) => {
          const group = value.slice(i * width, (i + 1) * width);
          return max === group.at(-1) && group.some((each, k) => k > 0 && each < group[k - 1]!);
        });
        fc.pre(!isAmbiguous);
        const bySamples = counterColumns({ ts: value.map((_, i) => i), value }, 'increase', value.length);
        const shown = valuesOf(counterColumns(inBuckets(value, width), 'increase', value.length));
        expect(sum(shown)).toBe(sum(valuesOf(bySamples).slice(width - 1)));
      }),
    );
  });

  it('has a steady rate in buckets that hold one or two samples', () => {
    const [stepMs, bucketMs] = [60_000, 86_000];
    const samples = Array.from({ length: 1_000 }, (_, i) => ({ ts: i * stepMs, value: i }));
    const groups = [...Map.groupBy(samples, ({ ts }) => Math.floor(ts / bucketMs)).entries()];
    const column = (pick: (values: number[]) => number) =>
      groups.map(([, group]) => pick(group.map(({ value }) => value)));
    const shown = counterColumns(
      {
        bucketMs,
        ts: groups.map(([bucket]) => bucket * bucketMs),
        avg: column((values) => sum(values) / values.length),
        min: column((values) => values[0]!),
        max: column((values) => values.at(-1)!),
        count: column((values) => values.length),
        first: column((values) => values[0]!),
        last: column((values) => values.at(-1)!),
      },
      'rate-h',
      1_000 * stepMs,
    );
    for (const rate of valuesOf(shown).slice(0, -1)) expect(Math.abs(rate - 60)).toBeLessThan(4);
  });

  it('has the unit of its value, for a rate by time', () => {
    expect(counterUnit('kWh', 'increase')).toBe('kWh');
    expect(counterUnit('kWh', 'rate-h')).toBe('kWh/h');
    expect(counterUnit(null, 'rate-s')).toBe('1/s');
  });
});
