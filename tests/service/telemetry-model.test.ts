import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MetricKind, Value } from '#contract/telemetry.ts';
import { migrateSqlite, openSqlite, type DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';
import { batchOf } from './batch-of.ts';
import { packBatch, unpackResult } from '#service/telemetry/store/embedded/pack-batch.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import type { StoreSizes } from '#service/telemetry/store/embedded/store-sizes.ts';
import { OUTCOME } from '#service/telemetry/store/telemetry-store.ts';
import { sized } from './sized.ts';

const RUNS = Number(process.env['MODEL_RUNS'] ?? sized(50, 100));
const SEED = process.env['MODEL_SEED'];
const RUNS_PER_REPORT = 1_000;
const DEVICES = ['dev_a', 'dev_b'];
const METRICS: Record<string, MetricKind> = { temp: 'number', mode: 'string', on: 'boolean' };

type Given = { device: string; metric: string; ts: number; value: Value };
type Step =
  | { readonly write: readonly Given[] }
  | { readonly remove: { devices: string[]; metrics: string[] | undefined; fromMs: number; toMs: number } }
  | { readonly compact: number }
  | { readonly restart: true }
  /** The next step fails at this statement. */
  | { readonly failAt: number };

/** The store, as plainly as it can be said. */
class Model {
  readonly series = new Map<string, Map<number, Value>>();

  write({ device, metric, ts, value }: Given): number {
    const name = `${device} ${metric}`;
    const samples = this.series.get(name) ?? new Map<number, Value>();
    this.series.set(name, samples);
    const before = samples.get(ts);
    samples.set(ts, value);
    if (before === undefined) return OUTCOME.accepted;
    return before === value ? OUTCOME.duplicate : OUTCOME.overwritten;
  }

  remove(devices: string[], metrics: string[] | undefined, fromMs: number, toMs: number): number {
    let removed = 0;
    for (const [name, samples] of this.series) {
      const [device = '', metric = ''] = name.split(' ');
      if (!devices.includes(device) || metrics?.includes(metric) === false) continue;
      for (const ts of samples.keys()) if (ts >= fromMs && ts < toMs) removed += Number(samples.delete(ts));
      if (samples.size === 0) this.series.delete(name);
    }
    return removed;
  }
}

const time = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 2, arbitrary: fc.integer({ min: -5_000, max: 5_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1_760_000_000_000, 8_640_000_000_000_000, -8_640_000_000_000_000) },
);
const number = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.integer({ min: -500, max: 500 }).map((tenths) => tenths / 10),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const text = fc.oneof(fc.constantFrom('eco', 'comfort', ''), fc.string({ unit: 'binary' }));
const value = (kind: MetricKind): fc.Arbitrary<Value> =>
  kind === 'number' ? number : kind === 'boolean' ? fc.boolean() : text;
const given: fc.Arbitrary<Given> = fc.constantFrom(...Object.entries(METRICS)).chain(([metric, kind]) =>
  fc.record({
    device: fc.constantFrom(...DEVICES),
    metric: fc.constant(metric),
    ts: time,
    value: value(kind),
  }),
);
/** Many samples of one series in order of time, so that there are enough chunks to roll up. */
const burst: fc.Arbitrary<Given[]> = fc
  .record({
    device: fc.constantFrom(...DEVICES),
    from: fc.integer({ min: -40, max: 40 }).map((n) => n * 100),
    stepMs: fc.constantFrom(3, 20, 90),
    count: fc.integer({ min: 20, max: 60 }),
    value: fc.integer({ min: -500, max: 500 }),
  })
  .map(({ device, from, stepMs, count, value: first }) =>
    Array.from({ length: count }, (_, n) => ({
      device,
      metric: 'temp',
      ts: from + n * stepMs,
      value: (first + n) / 10,
    })),
  );
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ write: burst }) },
  { weight: 6, arbitrary: fc.record({ write: fc.array(given, { minLength: 1, maxLength: 40 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      remove: fc.record({
        devices: fc.subarray(DEVICES, { minLength: 1 }),
        metrics: fc.option(fc.subarray(Object.keys(METRICS)), { nil: undefined }),
        fromMs: fc.oneof(fc.constant(-Infinity), time),
        toMs: fc.oneof(fc.constant(Infinity), time),
      }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ compact: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.constant({ restart: true as const }) },
  { weight: 1, arbitrary: fc.record({ failAt: fc.integer({ min: 1, max: 25 }) }) },
);

/** A database whose statement number N fails, once it is told so. */
class FaultyDatabase {
  #left = Infinity;
  readonly db: DatabaseSync;

  constructor(path: string) {
    const inner = openSqlite(path);
    // Nothing here depends on the disk: the test only kills statements.
    inner.exec('PRAGMA synchronous = OFF');
    migrateSqlite(inner, telemetryMigrations);
    const check = (): void => {
      this.#left -= 1;
      if (this.#left === 0) throw new Error('planted failure');
    };
    const wrapStatement = (sql: string) => {
      const statement = inner.prepare(sql);
      return new Proxy(statement, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]): unknown => {
            check();
            return Reflect.apply(member, target, args);
          };
        },
      });
    };
    this.db = new Proxy(inner, {
      get: (target, name) => {
        if (name === 'prepare') return wrapStatement;
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          if (name === 'exec' && String(args[0]).startsWith('PRAGMA')) return undefined;
          // What restores a state must not fail twice.
          if (name === 'exec' && args[0] !== 'ROLLBACK') check();
          return Reflect.apply(member, target, args);
        };
      },
    });
  }

  failAt(statement: number): void {
    this.#left = statement;
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-model-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let runs = 0;
/** Sizes so small that a few samples are split over chunks, moved in several steps and rolled up. */
const SIZES: StoreSizes = {
  samplesPerChunk: 4,
  samplesPerBlock: 4,
  samplesPerStep: 4,
  chunksPerRollup: 2,
  rollupWidthsMs: [50, 500, 5_000],
  samplesPerRollupBucket: 2,
};

/** A store with a journal so short that compactions are frequent, and a clock that lets each slice do one thing. */
class Subject {
  readonly #path = join(folder, `${(runs += 1)}.db`);
  #file = new FaultyDatabase(this.#path);
  store = this.#open();

  #open(): SampleStore {
    let now = 0;
    return new SampleStore(this.#file.db, {
      nowMs: () => (now += 1),
      limit: { samples: 30, series: 5, rows: 4, bytes: 10_000 },
      sizes: SIZES,
    });
  }

  restart(): void {
    this.#file.failAt(Infinity);
    this.#file.db.close();
    this.#file = new FaultyDatabase(this.#path);
    this.store = this.#open();
  }

  /** Runs a step of which one statement fails, if it has as many. Returns whether it succeeded. */
  attempt(work: () => void, failAt: number): boolean {
    this.#file.failAt(failAt);
    try {
      work();
      return true;
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'planted failure') throw error;
      return false;
    } finally {
      this.#file.failAt(Infinity);
    }
  }

  close(): void {
    this.#file.db.close();
    rmSync(this.#path);
  }
}

const finish = (steps: Generator<void, number>): number => {
  for (;;) {
    const each = steps.next();
    if (each.done === true) return each.value;
  }
};

const contentOf = ({ reader }: SampleStore) =>
  Object.fromEntries(
    reader
      .scan({ devices: DEVICES, fromMs: -Infinity, toMs: Infinity }, 1_000_000)
      .series.map(({ device, metric, ts, value }) => [
        `${device} ${metric}`,
        Array.from(ts, (at, i) => [at, value?.[i]]),
      ]),
  );

const BUCKET_MS = 500;

/** All buckets of a series of numbers, as counting by hand finds them. */
const bucketsOf = (samples: ReadonlyMap<number, Value>) => {
  const inOrder = [...samples].toSorted(([a], [b]) => a - b);
  const buckets = [...Map.groupBy(inOrder, ([ts]) => Math.floor(ts / BUCKET_MS) * BUCKET_MS)];
  return buckets.map(([start, of]) => {
    const values = of.map(([, value]) => Number(value));
    return [start, values.length, Math.min(...values), Math.max(...values), values[0], values.at(-1)];
  });
};

const readBuckets = ({ reader }: SampleStore, device: string) => {
  const selection = { devices: [device], metrics: ['temp'], fromMs: -Infinity, toMs: Infinity };
  const [series] = reader.read(selection, { bucketMs: BUCKET_MS }, [
    'count',
    'min',
    'max',
    'first',
    'last',
  ]).series;
  return Array.from(series?.ts ?? [], (start, i) => [
    start,
    series?.count?.[i],
    series?.min?.[i],
    series?.max?.[i],
    series?.first?.[i],
    series?.last?.[i],
  ]);
};

const expectedOf = ({ series }: Model) =>
  Object.fromEntries(
    [...series].map(([name, samples]) => [name, [...samples].toSorted(([a], [b]) => a - b)]),
  );

const check = (subject: Subject, model: Model): void => {
  const { store } = subject;
  expect(contentOf(store)).toEqual(expectedOf(model));
  const sizes = [...model.series.values()].map(({ size }) => size);
  expect(store.samples).toBe(sizes.reduce((sum, size) => sum + size, 0));
  for (const device of DEVICES)
    expect(readBuckets(store, device)).toEqual(bucketsOf(model.series.get(`${device} temp`) ?? new Map()));
  for (const row of store.series.select(DEVICES, undefined)) {
    const times = [...(model.series.get(`${row.device} ${row.metric}`) ?? [])].toSorted(([a], [b]) => a - b);
    const { firstTs, lastTs, value } = store.reader.metricOf(row);
    expect([firstTs, lastTs, value]).toEqual([times[0]?.[0], ...(times.at(-1) ?? [])]);
    const middle = times[Math.floor(times.length / 2)]!;
    const until = store.reader.metricOf(row, middle[0]);
    expect([until.lastTs, until.value]).toEqual(middle);
  }
};

const copyOf = ({ series }: Model): Model => {
  const copy = new Model();
  for (const [name, samples] of series) copy.series.set(name, new Map(samples));
  return copy;
};

const run = (steps: readonly Step[]): void => {
  const subject = new Subject();
  const model = new Model();
  let failAt = Infinity;
  for (const each of steps) {
    if ('failAt' in each) {
      failAt = each.failAt;
      continue;
    }
    if ('write' in each) {
      const batch = batchOf(each.write);
      const before = copyOf(model);
      const expected = each.write.map((sample) => model.write(sample));
      const isWritten = subject.attempt(() => {
        const [result] = subject.store.write([packBatch(batch)]);
        expect(Array.from(unpackResult(batch, result!).outcome)).toEqual(expected);
      }, failAt);
      if (!isWritten) {
        model.series.clear();
        for (const [name, samples] of before.series) model.series.set(name, samples);
      }
    } else if ('remove' in each) {
      const { devices, metrics, fromMs, toMs } = each.remove;
      // A removal that fails may have deleted a part: it is repeated, as whoever asked for it would.
      const whole = subject.attempt(() => {
        const expected = model.remove(devices, metrics, fromMs, toMs);
        expect(finish(subject.store.remove(each.remove))).toBe(expected);
      }, failAt);
      if (!whole) finish(subject.store.remove(each.remove));
    } else if ('compact' in each) {
      subject.attempt(() => {
        for (let n = 0; n < each.compact; n += 1) subject.store.compact(3);
      }, failAt);
    } else subject.restart();
    failAt = Infinity;
    check(subject, model);
  }
  while (subject.store.compact(100));
  check(subject, model);
  subject.restart();
  check(subject, model);
  subject.close();
};

/** A sequence is mostly long: chunks come late in it, and late samples and removals change them after that. */
const sequence = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' });

it(
  'holds what a plain map would, over writes, overwrites, late samples, removals, compactions, restarts and failures',
  { timeout: 60_000 + RUNS * 1_000 },
  async () => {
    const property = fc.asyncProperty(sequence, async (steps) => {
      if (runs > 0 && runs % RUNS_PER_REPORT === 0) console.log(`${runs.toLocaleString('en')} runs`);
      // Lets the test runner report progress.
      await setImmediate();
      run(steps);
    });
    await fc.assert(property, { numRuns: RUNS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) });
  },
);
