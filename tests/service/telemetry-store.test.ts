import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aggregates } from '#contract/telemetry.ts';
import { isDiskFull } from '#service/platform/storage/disk-full.ts';
import { inTransaction, migrateSqlite, openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { batchOf, type GivenSample } from './batch-of.ts';
import { packBatch } from '#service/telemetry/store/embedded/pack-batch.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { telemetryMigrations } from '#service/telemetry/store/embedded/telemetry-schema.ts';
import { OUTCOME, type StoredSeries, type TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';
import { StoreBusy } from '#service/platform/storage/store-errors.ts';

const ALL = { devices: ['dev_a'], fromMs: -Infinity, toMs: Infinity };

/** Columns as plain lists, which assertions show well. */
const plain = ({ device: _, unit: __, ...series }: StoredSeries) =>
  Object.fromEntries(
    Object.entries(series).map(([name, column]) => [
      name,
      typeof column === 'string' ? column : Array.from<unknown>(column),
    ]),
  );

let dataDir: string;
let store: TelemetryStore;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'penstock-telemetry-'));
  store = await openSqliteTelemetryStore(dataDir);
});
afterEach(async () => {
  await store.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const write = async (...values: GivenSample[]) => Array.from((await store.write(batchOf(values))).outcome);
const readRaw = async () => (await store.read(ALL, { points: 5_000 }, [])).series.map(plain);

describe('a write', () => {
  it('returns the outcome of each value in batch order', async () => {
    const outcomes = await write(
      { ts: 1, value: 20 },
      { ts: 1, value: 20 },
      { ts: 1, value: 21 },
      { ts: 2, value: 21 },
      { ts: 2, value: 'warm' },
      { metric: 'mode', ts: 1, value: 'eco' },
      { metric: 'on', ts: 1, value: true },
    );
    expect(outcomes).toEqual([
      OUTCOME.accepted,
      OUTCOME.duplicate,
      OUTCOME.overwritten,
      OUTCOME.accepted,
      OUTCOME.kindMismatch,
      OUTCOME.accepted,
      OUTCOME.accepted,
    ]);
    expect(await readRaw()).toEqual([
      { metric: 'mode', kind: 'string', ts: [1], value: ['eco'] },
      { metric: 'on', kind: 'boolean', ts: [1], value: [true] },
      { metric: 'temp', kind: 'number', ts: [1, 2], value: [21, 21] },
    ]);
  });

  it('that is repeated changes nothing', async () => {
    const values = [
      { ts: 5, value: -0.1 },
      { metric: 'zero', ts: 5, value: -0 },
      { metric: 'on', ts: 5, value: false },
      { metric: 'odd', ts: 5, value: '\ud800 \u0000 ü' },
    ];
    await write(...values);
    expect(await write(...values)).toEqual(values.map(() => OUTCOME.duplicate));
    expect((await store.stats()).samples).toBe(values.length);
  });

  it('says the kind that a metric has, which the first value settles', async () => {
    await write({ ts: 1, value: true });
    const { outcome, kinds } = await store.write(batchOf([{ ts: 2, value: 1 }]));
    expect([Array.from(outcome), kinds]).toEqual([[OUTCOME.kindMismatch], ['boolean']]);
  });

  it('does not make a series that it only names', async () => {
    const { series, index, ts, cells, texts } = batchOf([
      { ts: 1, value: 1 },
      { metric: 'never', ts: 1, value: 'text' },
    ]);
    const first = { index: index.slice(0, 1), ts: ts.slice(0, 1), cells: cells.slice(0, 1) };
    await store.write({ series, texts, ...first });
    expect((await store.metrics(['dev_a'])).map(({ metric }) => metric)).toEqual(['temp']);
  });

  it.each([
    ['a number that is none', { ts: 1, value: Number.NaN }],
    ['an infinite number', { ts: 1, value: Infinity }],
    ['no time', { ts: Number.NaN, value: 1 }],
  ])('is refused whole for %s, and harms no other', async (_, wrong) => {
    const [refused, other] = await Promise.allSettled([
      write({ ts: 1, value: 1 }, { metric: 'x', ...wrong }),
      write({ metric: 'other', ts: 1, value: 1 }),
    ]);
    expect([refused.status, other.status]).toEqual(['rejected', 'fulfilled']);
    expect((await store.metrics(['dev_a'])).map(({ metric }) => metric)).toEqual(['other']);
  });

  it('leaves its columns to the caller', async () => {
    const batch = batchOf([{ ts: 7, value: 1 }]);
    await store.write(batch);
    expect([...batch.ts, ...batch.index]).toEqual([7, 0]);
  });

  it('is rejected while a million samples wait to be written', { timeout: 60_000 }, async () => {
    const { index, ts, cells, ...rest } = batchOf([{ ts: 1, value: 1 }]);
    const length = 400_000;
    const large = {
      ...rest,
      index: new Uint32Array(length).fill(index[0]!),
      ts: Float64Array.from({ length }, (_, i) => i + ts[0]!),
      cells: new Float64Array(length).fill(cells[0]!),
    };
    const waiting = [1, 2, 3].map(() => store.write(large));
    await expect(store.write(large)).rejects.toThrow(StoreBusy);
    await Promise.all(waiting);
    expect(await write({ ts: 0, value: 1 })).toEqual([OUTCOME.accepted]);
  });
});

describe('the latest value', () => {
  it('is the one with the greatest time, whenever it came', async () => {
    await write({ ts: 30, value: 3 }, { ts: 10, value: 1 }, { ts: 20, value: 2 });
    expect(await store.metrics(['dev_a', 'dev_unknown'])).toEqual([
      {
        device: 'dev_a',
        metric: 'temp',
        kind: 'number',
        unit: null,
        label: null,
        firstTs: 10,
        lastTs: 30,
        value: 3,
      },
    ]);
  });

  it('is returned for the requested metrics', async () => {
    await write({ ts: 1, value: 1 }, { metric: 'on', ts: 1, value: true });
    expect((await store.metrics(['dev_a'], ['on'])).map(({ value }) => value)).toEqual([true]);
    expect(await store.countSeries(['dev_a'], ['on'])).toBe(1);
    expect(await store.countSeries(['dev_a'])).toBe(2);
  });
});

it('keeps the unit that the first write of a series states', async () => {
  for (const [i, unit] of [null, 'K', '°F'].entries())
    await store.write({ ...batchOf([{ metric: 'later', ts: i, value: i }]), units: [unit] });
  for (const [i, unit] of ['°C', '°F', null].entries())
    await store.write({ ...batchOf([{ ts: i, value: i }]), units: [unit] });
  const units = async () => (await store.read(ALL, { points: 1 }, [])).series.map(({ unit }) => unit);
  expect(await units()).toEqual([null, '°C']);
  expect((await store.metrics(['dev_a'], ['temp']))[0]?.unit).toBe('°C');
});

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

  /** What the contract says buckets are, as plainly as it can be said. */
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

  let runs = 0;
  const stored = async (given: Samples) => {
    const device = `dev_${(runs += 1)}`;
    await store.write(batchOf([{ ts: 9_999, value: 0 }, ...given].map((value) => ({ device, ...value }))));
    return { devices: [device] };
  };
  const columnsOf = (series: readonly StoredSeries[]) =>
    series.map(plain).map(({ metric: _, kind: __, ...columns }) => columns)[0];

  it(
    'gives buckets of one width as counting by hand does, before the epoch as well',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(samples, ends, fc.integer({ min: 1, max: 900 }), async (given, range, bucketMs) => {
          const selection = { ...(await stored(given)), ...range };
          const read = await store.read(selection, { bucketMs }, countedAggregates);
          expect(read.bucketMs).toBe(bucketMs);
          const expected = naive(given, range, (ts) => Math.floor(ts / bucketMs) * bucketMs);
          expect(columnsOf(read.series)).toEqual(expected);
        }),
        { numRuns: 60 },
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
        const { series } = await store.read(selection, resolution, countedAggregates);
        expect(columnsOf(series)).toEqual(naive(given, range, (ts) => all.findLast((start) => start <= ts)!));
      }),
      { numRuns: 60 },
    );
  });

  it(
    'gives raw samples where they are no more than the points asked for, else at most that many buckets',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(samples, ends, fc.integer({ min: 1, max: 60 }), async (given, range, points) => {
          const selection = { ...(await stored(given)), ...range };
          const read = await store.read(selection, { points }, countedAggregates);
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
        { numRuns: 60 },
      );
    },
  );

  it('puts every series into buckets where one of them holds too many samples', async () => {
    await write(
      { ts: 0, value: 1 },
      { ts: 1, value: 2 },
      { ts: 2, value: 3 },
      { metric: 'on', ts: 1, value: true },
    );
    const selection = { ...ALL, fromMs: 0, toMs: 10 };
    const { bucketMs, series } = await store.read(selection, { points: 2 }, [
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
    const { series } = await store.read({ ...ALL, fromMs: 5, toMs: 9 }, { points: 5 }, []);
    expect(series.map(plain)).toEqual([{ metric: 'temp', kind: 'number', ts: [], value: [] }]);
  });
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
          await store.remove({ ...ALL, devices: ['dev_a', 'dev_b', 'dev_ö'] });
          await write(...given.map((at) => ({ ...at, value: at.ts / 2 })));
          const selection = { devices: ['dev_b', 'dev_a'], fromMs: 2, toMs: 18 };
          const found: string[] = [];
          let after;
          do {
            const { series, next } = await store.scan(selection, limit, after);
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
      { numRuns: 40 },
    );
  },
);

describe('a removal', () => {
  it('takes a range, and the series that have nothing left', async () => {
    await write(
      { ts: 1, value: 1 },
      { ts: 2, value: 2 },
      { ts: 3, value: 3 },
      { metric: 'on', ts: 2, value: true },
      { device: 'dev_b', ts: 2, value: 2 },
    );
    expect(await store.remove({ devices: ['dev_a'], fromMs: 2, toMs: 3 })).toBe(2);
    expect(await readRaw()).toEqual([{ metric: 'temp', kind: 'number', ts: [1, 3], value: [1, 3] }]);
    expect(await store.countSeries(['dev_a', 'dev_b'])).toBe(2);
    expect((await store.stats()).samples).toBe(3);
  });

  it('lets a metric change kind after its last sample is deleted', async () => {
    await write({ ts: 1, value: 1 });
    await store.remove(ALL);
    expect(await write({ ts: 1, value: 'text' })).toEqual([OUTCOME.accepted]);
  });

  it('of very many samples goes in steps, so that others are served between', () => {
    const db = openSqlite(join(dataDir, 'steps.db'));
    migrateSqlite(db, telemetryMigrations);
    const samples = new SampleStore(db, { limit: { samples: 1, series: 1, rows: 1, bytes: 1 } });
    const length = 1_000_000;
    const many = batchOf(Array.from({ length }, (_, i) => ({ ts: i, value: i % 100 })));
    samples.write([packBatch(many)]);
    while (samples.compact(1_000));
    const steps = samples.remove({ ...ALL, fromMs: 10, toMs: length - 5 });
    const left: number[] = [];
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) left.push(samples.samples);
    expect(left.length).toBeGreaterThan(2);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect([step.value, samples.samples]).toEqual([length - 15, 15]);
    db.close();
  });

  it('lets a write pass that came after it', async () => {
    await write({ ts: 1, value: 1 }, { metric: 'on', ts: 1, value: true });
    const done: string[] = [];
    const removal = store.remove(ALL).then(() => done.push('removed'));
    const other = write({ device: 'dev_b', ts: 1, value: 1 }).then(() => done.push('written'));
    await Promise.all([removal, other]);
    expect(done).toEqual(['written', 'removed']);
  });
});

describe('the store', () => {
  it('holds after it was closed what it held before', async () => {
    await write({ ts: 1, value: 1 }, { metric: 'mode', ts: 1, value: 'eco' });
    const before = await readRaw();
    await store.close();
    store = await openSqliteTelemetryStore(dataDir);
    expect(await readRaw()).toEqual(before);
  });

  it('finishes earlier requests before it closes, and rejects later ones', async () => {
    const asked = [write({ ts: 1, value: 1 }), store.remove(ALL), write({ ts: 2, value: 2 })] as const;
    await Promise.all([store.close(), store.close()]);
    expect(await Promise.all(asked)).toEqual([[OUTCOME.accepted], 1, [OUTCOME.accepted]]);
    await expect(store.stats()).rejects.toThrow('closed');
    store = await openSqliteTelemetryStore(dataDir);
    expect(await readRaw()).toEqual([{ metric: 'temp', kind: 'number', ts: [2], value: [2] }]);
  });

  it('does not open a file that is no database, and says so', async () => {
    const other = mkdtempSync(join(dataDir, 'other-'));
    writeFileSync(
      join(other, 'telemetry.db'),
      'not a database, but a text that is long enough to be looked at',
    );
    await expect(openSqliteTelemetryStore(other)).rejects.toThrow(/not a database/);
  });

  it('does not open a file of a newer version', async () => {
    const other = mkdtempSync(join(dataDir, 'other-'));
    const db = new DatabaseSync(join(other, 'telemetry.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    await expect(openSqliteTelemetryStore(other)).rejects.toThrow(/newer version/);
  });

  it('reports its size on disk', async () => {
    await write({ ts: 1, value: 1 });
    const { samples, bytes } = await store.stats();
    expect(samples).toBe(1);
    expect(bytes).toBeGreaterThan(4_096);
  });
});

describe('a migration', () => {
  it('goes on where a kill stopped it', () => {
    const db = openSqlite(join(dataDir, 'steps.db'));
    expect(() => migrateSqlite(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x); CREATE TABLE a (x)'])).toThrow(
      'already exists',
    );
    migrateSqlite(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x)']);
    expect(db.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: 2 });
    db.close();
  });
});

describe('a full disk', () => {
  it('rejects a whole write, continues to read, and recovers once there is room', () => {
    const db = openSqlite(join(dataDir, 'small.db'));
    migrateSqlite(db, telemetryMigrations);
    const samples = new SampleStore(db);
    const kept = packBatch(batchOf([{ ts: 1, value: 1 }]));
    samples.write([kept]);
    db.exec('PRAGMA max_page_count = 20');
    const many = batchOf(
      Array.from({ length: 5_000 }, (_, i) => ({ metric: `m${i % 9}`, ts: i, value: 'x'.repeat(100) })),
    );
    let failure: unknown;
    try {
      samples.write([packBatch(many)]);
    } catch (error) {
      failure = error;
    }
    expect(isDiskFull(failure)).toBe(true);
    expect(samples.reader.read(ALL, { points: 9 }, []).series.map(plain)).toEqual([
      { metric: 'temp', kind: 'number', ts: [1], value: [1] },
    ]);
    db.exec('PRAGMA max_page_count = 100000');
    const [result] = samples.write([packBatch(batchOf([{ metric: 'm7', ts: 1, value: 'again' }]))]);
    expect(Array.from(result?.outcome ?? [])).toEqual([OUTCOME.accepted]);
    expect(samples.reader.read({ ...ALL, metrics: ['m7'] }, { points: 9 }, []).series.map(plain)).toEqual([
      { metric: 'm7', kind: 'string', ts: [1], value: ['again'] },
    ]);
    db.close();
  });
});

it('rolls a transaction back whole', () => {
  const db = openSqlite(':memory:');
  db.exec('CREATE TABLE a (x)');
  const failing = () =>
    inTransaction(db, () => {
      db.exec('INSERT INTO a VALUES (1)');
      throw new Error('no');
    });
  expect(failing).toThrow('no');
  expect(db.prepare('SELECT count(*) AS n FROM a').get()).toEqual({ n: 0 });
  db.close();
});
