import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aggregates } from '#contract/telemetry.ts';
import type { StoredSeries } from '#service/telemetry/store/telemetry-store.ts';
import { batchOf } from './batch-of.ts';
import { BUCKET_MS, burst, DEVICES, given as modelSample, removal, SampleModel } from './sample-model.ts';
import { ALL, plain, type TestedStore } from './tested-store.ts';

/** What every engine returns for any samples, without regard to speed. */
export const describeModel = (tested: TestedStore): void => {
  const { write, historyShare } = tested;
  const runs = (all: number) => ({ numRuns: Math.ceil(all * historyShare) });

  describe('a read', () => {
    const samples = fc.uniqueArray(
      fc.record({
        ts: fc.integer({ min: -3_000, max: 3_000 }),
        value: fc.integer({ min: -9_999, max: 9_999 }),
      }),
      { selector: ({ ts }) => ts, maxLength: 80 },
    );
    const ends = fc
      .tuple(fc.integer({ min: -3_500, max: 3_500 }), fc.integer({ min: 1, max: 4_000 }))
      .map(([fromMs, width]) => ({ fromMs, toMs: fromMs + width }));

    type Samples = { ts: number; value: number }[];
    type Ends = { fromMs: number; toMs: number };

    /** Counters have tests of their own: increase and rate depend on earlier buckets. */
    const countedAggregates = aggregates.filter((name) => name !== 'increase' && name !== 'rate');

    /** Buckets as the contract describes them, without regard to speed. */
    const naive = (given: Samples, { fromMs, toMs }: Ends, startOf: (ts: number) => number) => {
      const inRange = given.filter(({ ts }) => ts >= fromMs && ts < toMs).toSorted((a, b) => a.ts - b.ts);
      const buckets = [...Map.groupBy(inRange, ({ ts }) => startOf(ts))].map(([start, of]) => {
        const values = of.map(({ value }) => value);
        const sum = values.reduce((total, value) => total + value, 0);
        const [min, max, count] = [Math.min(...values), Math.max(...values), values.length];
        return { ts: start, avg: sum / count, min, max, sum, count, first: values[0], last: values.at(-1) };
      });
      return Object.fromEntries(
        ['ts', ...countedAggregates].map((name) => [
          name,
          buckets.map((bucket) => bucket[name as keyof typeof bucket]),
        ]),
      );
    };

    let devices = 0;
    const stored = async (given: Samples) => {
      const device = `dev_${(devices += 1)}`;
      await tested.store.write(
        batchOf([{ ts: 9_999, value: 0 }, ...given].map((value) => ({ device, ...value }))),
      );
      return { devices: [device] };
    };
    const columnsOf = (series: readonly StoredSeries[]) =>
      series.map(plain).map(({ metric: _, kind: __, ...columns }) => columns)[0];

    it(
      'gives buckets of one width as counting by hand does, before the epoch as well',
      { timeout: 60_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(
            samples,
            ends,
            fc.integer({ min: 1, max: 900 }),
            async (given, range, bucketMs) => {
              const selection = { ...(await stored(given)), ...range };
              const read = await tested.store.read(selection, { bucketMs }, countedAggregates);
              expect(read.bucketMs).toBe(bucketMs);
              const expected = naive(given, range, (ts) => Math.floor(ts / bucketMs) * bucketMs);
              expect(columnsOf(read.series)).toEqual(expected);
            },
          ),
          runs(60),
        );
      },
    );

    it('gives buckets between any starts as counting by hand does', { timeout: 60_000 }, async () => {
      const starts = fc.uniqueArray(fc.integer({ min: -3_500, max: 7_500 }), { maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(samples, ends, starts, async (given, range, between) => {
          const all = [-3_500, ...between.filter((start) => start > -3_500)].toSorted((a, b) => a - b);
          const selection = { ...(await stored(given)), ...range };
          const resolution = { bucketMs: 1_000, starts: Float64Array.from(all) };
          const { series } = await tested.store.read(selection, resolution, countedAggregates);
          expect(columnsOf(series)).toEqual(
            naive(given, range, (ts) => all.findLast((start) => start <= ts)!),
          );
        }),
        runs(60),
      );
    });

    it(
      'gives raw samples where they are no more than the points asked for, else at most that many buckets',
      { timeout: 60_000 },
      async () => {
        await fc.assert(
          fc.asyncProperty(samples, ends, fc.integer({ min: 1, max: 60 }), async (given, range, points) => {
            const selection = { ...(await stored(given)), ...range };
            const read = await tested.store.read(selection, { points }, countedAggregates);
            const inRange = given
              .filter(({ ts }) => ts >= range.fromMs && ts < range.toMs)
              .toSorted((a, b) => a.ts - b.ts);
            const bucketMs = read.bucketMs ?? 1;
            expect(read.bucketMs === null).toBe(inRange.length <= points);
            const buckets = Math.ceil(range.toMs / bucketMs) - Math.floor(range.fromMs / bucketMs);
            if (read.bucketMs !== null) expect(buckets).toBeLessThanOrEqual(Math.max(2, points));
            // No wider than one bucket fewer would need.
            const widest = (range.toMs - range.fromMs) / Math.max(1, points - 1);
            if (read.bucketMs !== null) expect(bucketMs).toBeLessThanOrEqual(Math.ceil(widest));
            expect(columnsOf(read.series)).toEqual(
              inRange.length <= points
                ? { ts: inRange.map(({ ts }) => ts), value: inRange.map(({ value }) => value) }
                : naive(given, range, (ts) => Math.floor(ts / bucketMs) * bucketMs),
            );
          }),
          runs(60),
        );
      },
    );
  });

  it(
    'scans all samples in order of series and time, whatever the size of a page',
    { timeout: 60_000 },
    async () => {
      const position = fc.record({
        device: fc.constantFrom('dev_a', 'dev_b', 'dev_ö'),
        metric: fc.constantFrom('x', 'X', '\u{1f600}', '\uffee'),
        ts: fc.integer({ min: 0, max: 20 }),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(position, { selector: (at) => JSON.stringify(at) }),
          fc.integer({ min: 1, max: 7 }),
          async (given, limit) => {
            await tested.store.remove({ ...ALL, devices: ['dev_a', 'dev_b', 'dev_ö'] });
            await write(...given.map((at) => ({ ...at, value: at.ts / 2 })));
            const selection = { devices: ['dev_b', 'dev_a'], fromMs: 2, toMs: 18 };
            const found: string[] = [];
            let after;
            do {
              const { series, next } = await tested.store.scan(selection, limit, after);
              const page = series.flatMap(({ device, metric, ts }) =>
                Array.from(ts, (at) => `${device} ${metric} ${at}`),
              );
              expect(page.length).toBeLessThanOrEqual(limit);
              found.push(...page);
              after = next ?? undefined;
            } while (after !== undefined);
            const bytes = (text: string) => Buffer.from(text);
            const expected = given
              .filter(({ device, ts }) => device !== 'dev_ö' && ts >= 2 && ts < 18)
              .toSorted(
                (a, b) =>
                  Buffer.compare(bytes(a.device), bytes(b.device)) ||
                  Buffer.compare(bytes(a.metric), bytes(b.metric)) ||
                  a.ts - b.ts,
              )
              .map(({ device, metric, ts }) => `${device} ${metric} ${ts}`);
            expect(found).toEqual(expected);
          },
        ),
        runs(40),
      );
    },
  );

  it(
    'holds what a plain map would, over writes, overwrites, late samples, removals and restarts',
    { timeout: 60_000 },
    async () => {
      const write = fc.oneof(burst, fc.array(modelSample, { minLength: 1, maxLength: 40 }));
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ writes: fc.array(write, { minLength: 1, maxLength: 3 }) }) },
        { weight: 2, arbitrary: fc.record({ remove: removal }) },
        { weight: 1, arbitrary: fc.constant({ restart: true }) },
      );
      const model = new SampleModel();
      const check = async () => {
        const { series } = await tested.store.scan({ ...ALL, devices: DEVICES }, 1_000_000);
        const content = series.map(({ device, metric, ts, value }) => [
          `${device} ${metric}`,
          Array.from(ts, (at, i) => [at, value?.[i]]),
        ]);
        expect(Object.fromEntries(content)).toEqual(model.content());
        const sizes = [...model.series.values()].map(({ size }) => size);
        expect(await tested.countSamples()).toBe(sizes.reduce((sum, size) => sum + size, 0));
        const columns = ['count', 'min', 'max', 'first', 'last'] as const;
        const read = await tested.store.read(
          { ...ALL, devices: DEVICES, metrics: ['temp'] },
          { bucketMs: BUCKET_MS },
          columns,
        );
        for (const device of DEVICES) {
          const found = read.series.find((each) => each.device === device);
          const buckets = Array.from(found?.ts ?? [], (start, i) => [
            start,
            ...columns.map((name) => found?.[name]?.[i]),
          ]);
          expect(buckets).toEqual(model.buckets(device, BUCKET_MS));
        }
      };
      const property = fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
        await tested.store.remove({ ...ALL, devices: DEVICES });
        model.series.clear();
        for (const each of steps) {
          if ('writes' in each) {
            const expected = each.writes.map((samples) =>
              tested.reported(samples.map((sample) => model.write(sample))),
            );
            const results = await Promise.all(
              each.writes.map((samples) => tested.store.write(batchOf(samples))),
            );
            expect(results.map(({ outcome }) => Array.from(outcome))).toEqual(expected);
          } else if ('remove' in each)
            expect(await tested.store.remove(each.remove)).toBe(model.remove(each.remove));
          else {
            await tested.store.close();
            await tested.open();
          }
          await check();
        }
      });
      await fc.assert(property, runs(15));
    },
  );
};
