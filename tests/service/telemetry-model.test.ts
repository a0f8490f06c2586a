import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrateSqlite, openSqlite, type DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';
import { batchOf } from './batch-of.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { unpackResult } from '#service/telemetry/store/embedded/packed-batch.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import type { StoreSizes } from '#service/telemetry/store/embedded/store-sizes.ts';
import {
  BUCKET_MS,
  burst,
  DEVICES,
  given,
  removal,
  SampleModel,
  type ModelSample,
  type Removal,
} from './sample-model.ts';
import { sized } from './sized.ts';

const RUNS = Number(process.env['MODEL_RUNS'] ?? sized(30, 100));
const SEED = process.env['MODEL_SEED'];
const RUNS_PER_REPORT = 1_000;
type Step =
  | { readonly write: readonly ModelSample[] }
  | { readonly remove: Removal }
  | { readonly compact: number }
  | { readonly restart: true }
  /** The next step fails at this statement. */
  | { readonly failAt: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ write: burst }) },
  { weight: 6, arbitrary: fc.record({ write: fc.array(given, { minLength: 1, maxLength: 40 }) }) },
  { weight: 2, arbitrary: fc.record({ remove: removal }) },
  { weight: 4, arbitrary: fc.record({ compact: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 2, arbitrary: fc.constant({ restart: true as const }) },
  { weight: 1, arbitrary: fc.record({ failAt: fc.integer({ min: 1, max: 25 }) }) },
);

/** A database whose statement number N fails, on request. */
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

const check = (subject: Subject, model: SampleModel): void => {
  const { store } = subject;
  expect(contentOf(store)).toEqual(model.content());
  const sizes = [...model.series.values()].map(({ size }) => size);
  expect(store.samples).toBe(sizes.reduce((sum, size) => sum + size, 0));
  for (const device of DEVICES) expect(readBuckets(store, device)).toEqual(model.buckets(device, BUCKET_MS));
  for (const row of store.series.select(DEVICES, undefined)) {
    const times = [...(model.series.get(`${row.device} ${row.metric}`) ?? [])].toSorted(([a], [b]) => a - b);
    const { firstTs, lastTs, value } = store.reader.metricOf(row);
    expect([firstTs, lastTs, value]).toEqual([times[0]?.[0], ...(times.at(-1) ?? [])]);
    const middle = times[Math.floor(times.length / 2)]!;
    const until = store.reader.metricOf(row, middle[0]);
    expect([until.lastTs, until.value]).toEqual(middle);
  }
};

const copyOf = ({ series }: SampleModel): SampleModel => {
  const copy = new SampleModel();
  for (const [name, samples] of series) copy.series.set(name, new Map(samples));
  return copy;
};

const run = (steps: readonly Step[]): void => {
  const subject = new Subject();
  const model = new SampleModel();
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
        if (result === undefined || result instanceof Error) throw result;
        expect(Array.from(unpackResult(batch, result).outcome)).toEqual(expected);
      }, failAt);
      if (!isWritten) {
        model.series.clear();
        for (const [name, samples] of before.series) model.series.set(name, samples);
      }
    } else if ('remove' in each) {
      // A removal that fails may have deleted a part: it is repeated, as whoever asked for it would.
      const whole = subject.attempt(() => {
        const expected = model.remove(each.remove);
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
