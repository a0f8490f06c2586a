import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DatabaseUnavailable } from '#service/platform/storage/dialects/database-unavailable.ts';
import { readPostgresAddress } from '#service/platform/storage/dialects/postgres-address.ts';
import {
  openPostgresPool,
  type PoolOptions,
  type PostgresPool,
} from '#service/platform/storage/dialects/postgres-pool.ts';
import { QueryTooLarge } from '#service/platform/storage/store-errors.ts';
import { createWriteQueue } from '#service/telemetry/store/write-queue.ts';
import { openPostgresTelemetryStore } from '#service/telemetry/store/postgres/postgres-telemetry-store.ts';
import { OUTCOME, type TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';
import { batchOf } from './batch-of.ts';
import { describeTelemetryStore } from './telemetry-store-cases.ts';
import { ALL, plain } from './tested-store.ts';
import { createEmptyDatabase, type TestDatabase } from './test-database.ts';

let database: TestDatabase;
let pool: PostgresPool;
const openPool = (options: PoolOptions) => openPostgresPool(readPostgresAddress(database.url)!, options);
beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = openPool({});
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const removeTables = async () => {
  await pool.query('drop schema public cascade; create schema public');
};

describeTelemetryStore('PostgreSQL', async () => ({
  open: (options) => openPostgresTelemetryStore(openPool, options),
  remove: removeTables,
}));

describe('partitions', () => {
  const month = (name: string) => Date.parse(`${name}-15T00:00:00Z`);
  const given = ['1970-01', '2025-11', '2026-01', '2026-02'].map((name, value) => ({
    ts: month(name),
    value,
  }));

  it('are dropped whole with their samples, and later writes create them again', async () => {
    const store = await openPostgresTelemetryStore(openPool);
    await store.write(batchOf(given));
    await store.dropBefore?.(month('2026-02'));
    const read = async () => (await store.read(ALL, { points: 9 }, [])).series.map(plain);
    expect(await read()).toMatchObject([{ value: [3] }]);
    expect((await store.stats()).samples).toBe(1);
    await store.write(batchOf(given));
    expect(await read()).toMatchObject([{ value: [0, 1, 2, 3] }]);
    await store.close();
    await removeTables();
  });

  it('that are being read stay, and reads go on', async () => {
    const store = await openPostgresTelemetryStore(openPool, { dropWithinMs: 50 });
    await store.write(batchOf(given));
    const reader = await pool.connect();
    await reader.query('begin; select count(*) from telemetry_sample');
    await store.dropBefore?.(month('2026-02'));
    expect((await store.stats()).samples).toBe(4);
    await reader.query('rollback');
    reader.release();
    await store.close();
    await removeTables();
  });
});

describe('two processes', () => {
  const JANUARY = Date.parse('2026-01-15T00:00:00Z');
  const openTwo = async () => {
    const [one, other] = [
      await openPostgresTelemetryStore(openPool),
      await openPostgresTelemetryStore(openPool),
    ];
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()]);
      await removeTables();
    });
    return { one, other };
  };
  const readBy = async (store: TelemetryStore) =>
    (await store.read(ALL, { points: 99 }, [])).series.map(plain);

  it('write new series, months and the same samples at once, and store each sample once', async () => {
    const { one, other } = await openTwo();
    const metrics = Array.from({ length: 30 }, (_, n) => `m${n}`);
    const samples = metrics.map((metric, n) => ({
      metric,
      ts: JANUARY + (n % 2) * 40 * 86_400_000,
      value: n,
    }));
    const results = await Promise.all([
      one.write(batchOf(samples)),
      other.write(batchOf(samples.toReversed())),
    ]);
    const outcomes = results.flatMap(({ outcome }) => [...outcome]);
    expect(outcomes.filter((outcome) => outcome === OUTCOME.accepted)).toHaveLength(30);
    expect(outcomes.filter((outcome) => outcome === OUTCOME.duplicate)).toHaveLength(30);
    expect(await readBy(one)).toHaveLength(30);
    expect((await other.stats()).samples).toBe(30);
  });

  it.each([
    [1, 'duplicate'],
    [2, 'overwritten'],
  ] as const)('count a sample once that both write at the same time (%s: %s)', async (value, outcome) => {
    const { one, other: reader } = await openTwo();
    const ts = JANUARY;
    await one.write(batchOf([{ ts: ts - 1, value: 0 }]));
    const other = await pool.connect();
    await other.query('begin');
    await other.query(
      'insert into telemetry_sample (series, ts, value) select id, $1, 1 from telemetry_series',
      [ts],
    );
    await other.query(
      `update telemetry_partition set samples = samples + 1 where from_ts <= $1 and to_ts > $1`,
      [ts],
    );
    const written = one.write(batchOf([{ ts, value }]));
    await expect
      .poll(async () => (await pool.query('select from pg_locks where not granted')).rows.length)
      .toBeGreaterThan(0);
    await other.query('commit');
    other.release();
    expect([...(await written).outcome]).toEqual([OUTCOME[outcome]]);
    expect((await reader.stats()).samples).toBe(2);
  });

  it('write to no series that the other removed', async () => {
    const { one, other } = await openTwo();
    await one.write(batchOf([{ ts: JANUARY, value: 1 }]));
    await other.remove(ALL);
    await one.write(batchOf([{ ts: JANUARY, value: 2 }]));
    expect(await readBy(other)).toMatchObject([{ ts: [JANUARY], value: [2] }]);
  });

  it('write to a month that the other dropped', async () => {
    const { one, other } = await openTwo();
    await one.write(batchOf([{ ts: JANUARY, value: 1 }]));
    await other.dropBefore?.(Date.parse('2026-03-01T00:00:00Z'));
    await one.write(batchOf([{ ts: JANUARY, value: 2 }]));
    expect(await readBy(other)).toMatchObject([{ ts: [JANUARY], value: [2] }]);
  });
});

describe('reads that take long', () => {
  const sample = (name: string) => batchOf([{ ts: Date.parse(`${name}-15T00:00:00Z`), value: 1 }]);

  /** Opens a store whose reads of January wait until `release`. */
  const openHeld = async (options?: { readWithinMs: number }) => {
    const store = await openPostgresTelemetryStore(openPool, options);
    for (const name of ['2026-01', '2026-02']) await store.write(sample(name));
    const holder = await pool.connect();
    await holder.query('begin; lock table telemetry_sample_2026_01 in access exclusive mode');
    const release = () => holder.query('rollback');
    onTestFinished(async () => {
      await release();
      holder.release();
      await store.close();
      await removeTables();
    });
    return { store, release };
  };
  const countWaiting = async () => {
    const { rows } = await pool.query<{ count: number }>('select count(*) from pg_locks where not granted');
    return rows[0]?.count;
  };

  it('leave connections for writes, and are answered a few at a time', async () => {
    const { store, release } = await openHeld();
    const reads = Array.from({ length: 20 }, () => store.read(ALL, { points: 9 }, []));
    await expect.poll(countWaiting).toBe(6);
    expect((await store.write(sample('2026-02'))).outcome).toEqual(Uint8Array.of(OUTCOME.duplicate));
    await release();
    for (const { series } of await Promise.all(reads))
      expect(series.map(plain)).toMatchObject([{ value: [1, 1] }]);
  });

  it('are rejected with advice', async () => {
    const { store } = await openHeld({ readWithinMs: 100 });
    const error = await store.read(ALL, { points: 9 }, []).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QueryTooLarge);
    expect(String(error)).toContain('within the limit of 0.1 s. Choose fewer devices or metrics');
  });
});

it('reads many series some at a time, in the order of their names', async () => {
  const returned: number[] = [];
  /** Counts the series that each statement over samples returns. */
  const openCounting = (options: PoolOptions): PostgresPool => {
    const counted = openPool(options);
    const query: PostgresPool['query'] = async (text, values) => {
      const result = await counted.query<never>(text, values);
      if (text.includes('telemetry_sample')) returned.push(result.rows.length);
      return result;
    };
    return { ...counted, query };
  };
  const store = await openPostgresTelemetryStore(openCounting);
  const names = Array.from({ length: 120 }, (_, n) => `m${String(n).padStart(3, '0')}`);
  const samples = names.flatMap((metric, n) =>
    [0, 1, 2].map((second) => ({ metric, ts: second * 1_000, value: n % 7 === 0 ? `text ${n}` : n })),
  );
  await store.write(batchOf(samples));
  for (const [resolution, aggregates] of [
    [{ points: 9 }, []],
    [{ points: 2 }, ['count']],
    [{ points: 2 }, ['count', 'last']],
  ] as const) {
    const { series } = await store.read(ALL, resolution, aggregates);
    expect(series.map(({ metric }) => metric)).toEqual(names);
    expect(series.every(({ ts }) => ts.length === (aggregates.length === 0 ? 3 : 2))).toBe(true);
  }
  const across = { across: 'count', aggregates: [], leastBucketMs: 0 } as const;
  expect((await store.readCombined(ALL, { points: 2 }, across)).series).toHaveLength(120);
  expect(Math.max(...returned)).toBe(50);
  await store.close();
  await removeTables();
});

it('does not open tables of a newer version', async () => {
  const store = await openPostgresTelemetryStore(openPool);
  await store.close();
  await pool.query(`insert into telemetry_migration values ('9999-newer', '2030-01-01')`);
  await expect(openPostgresTelemetryStore(openPool)).rejects.toThrow(
    /newer version of Penstock \(schema 9999-newer\)/,
  );
  await removeTables();
});

describe('after changes by another process', () => {
  const sample = (device: string, value: number) => [
    { device, ts: Date.parse('2026-01-15T00:00:00Z'), value },
  ];

  it('a store that resumes finds series and partitions again', async () => {
    let resume = () => {};
    const store = await openPostgresTelemetryStore(openPool, {
      onResumed: (listener) => void (resume = listener),
    });
    await store.write(batchOf(sample('boiler', 1)));
    await removeTables();
    const other = await openPostgresTelemetryStore(openPool);
    // Takes the ID that the series of the boiler had.
    await other.write(batchOf([{ device: 'pump', ts: Date.parse('2026-02-15T00:00:00Z'), value: 2 }]));
    resume();
    await store.write(batchOf(sample('boiler', 3)));
    const { series } = await store.read({ ...ALL, devices: ['boiler', 'pump'] }, { points: 9 }, []);
    expect(series.map(plain)).toMatchObject([{ value: [3] }, { value: [2] }]);
    await Promise.all([store.close(), other.close()]);
    await removeTables();
  });
});

it('a step that throws at once only fails itself, and later writes run', async () => {
  const queue = createWriteQueue(async (batches) =>
    batches.map(() => ({ outcome: Uint8Array.of(OUTCOME.accepted), kinds: [] })),
  );
  const broken = (): Promise<void> => {
    throw new Error('planted');
  };
  const failed = queue.exclusively(broken).catch((error: unknown) => error);
  const written = queue.write(batchOf([{ ts: 0, value: 1 }]));
  expect(await failed).toEqual(new Error('planted'));
  expect((await written).outcome).toEqual(Uint8Array.of(OUTCOME.accepted));
});

it('a call that waits for a connection fails when the connections are dropped', async () => {
  const narrow = openPostgresPool(readPostgresAddress(database.url)!, { max: 1 });
  const held = await narrow.connect();
  const waiting = narrow.query('create table too_late ()');
  narrow.drop();
  held.release(true);
  await expect(waiting).rejects.toThrow(DatabaseUnavailable);
  await narrow.end();
});

it('waits for the disk at each commit, also where the server would not', async () => {
  const url = `${database.url}?options=${encodeURIComponent('-c synchronous_commit=off')}`;
  const careless = openPostgresPool(readPostgresAddress(url)!);
  const { rows } = await careless.query('show synchronous_commit');
  await careless.end();
  expect(rows).toEqual([{ synchronous_commit: 'on' }]);
});
