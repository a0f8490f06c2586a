import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPostgresAddress } from '#service/platform/storage/dialects/postgres-address.ts';
import { openPostgresPool, type PostgresPool } from '#service/platform/storage/dialects/postgres-pool.ts';
import { readClickHouseAddress } from '#service/telemetry/store/clickhouse/clickhouse-address.ts';
import { createClickHouseOpener } from '#service/telemetry/store/clickhouse/clickhouse-client.ts';
import { openClickHouseTelemetryStore } from '#service/telemetry/store/clickhouse/clickhouse-telemetry-store.ts';
import { createWriteCoordinator } from '#service/telemetry/store/postgres/postgres-write-coordinator.ts';
import { OUTCOME, type TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';
import { batchOf } from './batch-of.ts';
import { isInstalled } from './installed.ts';
import { startClickHouse } from './start-clickhouse.ts';
import { findPostgres, startPostgres } from './start-postgres.ts';
import { ALL, plain } from './tested-store.ts';

const isPossible = isInstalled('clickhouse-server') && findPostgres() !== undefined;

describe.skipIf(!isPossible)('two processes that write to one ClickHouse', () => {
  const closers: (() => Promise<void>)[] = [];
  const pools: PostgresPool[] = [];
  let one: TelemetryStore;
  let other: TelemetryStore;
  beforeAll(async () => {
    const [clickhouse, postgres] = [await startClickHouse(), await startPostgres()];
    closers.push(clickhouse.close, postgres.close);
    const address = readPostgresAddress(postgres.url)!;
    const open = async (): Promise<TelemetryStore> => {
      const pool = openPostgresPool(address, { max: 3 });
      pools.push(pool);
      const store = await openClickHouseTelemetryStore(
        createClickHouseOpener(readClickHouseAddress(clickhouse.urlOf('default'))!),
        { writeEveryMs: 0, coordinator: createWriteCoordinator(pool) },
      );
      closers.unshift(store.close, () => pool.end());
      return store;
    };
    one = await open();
    await pools[0]!.query('create table fact (name text primary key, value text not null)');
    other = await open();
  });
  afterAll(async () => {
    for (const close of closers) await close();
  });
  const TS = Date.parse('2026-01-15T00:00:00Z');
  const readBy = async (store: TelemetryStore) =>
    (await store.read(ALL, { points: 99 }, [])).series.map(plain);

  it('write to no series that the other removed', async () => {
    await one.write(batchOf([{ ts: TS, value: 1 }]));
    await other.write(batchOf([{ ts: TS + 1, value: 2 }]));
    await one.remove({ devices: ['dev_a'], fromMs: -Infinity, toMs: Infinity });
    await other.write(batchOf([{ ts: TS + 2, value: 3 }]));
    expect(await readBy(one)).toMatchObject([{ value: [3] }]);
  });

  it('give a metric one kind', async () => {
    const metrics = Array.from({ length: 20 }, (_, n) => `m${n}`);
    const results = await Promise.all([
      one.write(batchOf(metrics.map((metric) => ({ metric, ts: TS, value: 1 })))),
      other.write(batchOf(metrics.map((metric) => ({ metric, ts: TS, value: 'one' })))),
    ]);
    const outcomes = results.flatMap(({ outcome }) => [...outcome]);
    expect(outcomes.filter((outcome) => outcome === OUTCOME.accepted)).toHaveLength(20);
    expect(outcomes.filter((outcome) => outcome === OUTCOME.kindMismatch)).toHaveLength(20);
  });

  it('do not write while the other removes', async () => {
    const locked = await pools[1]!.connect();
    await locked.query('begin; select pg_advisory_xact_lock(7365739)');
    let isWritten = false;
    const written = one.write(batchOf([{ ts: TS, value: 1 }])).then(() => (isWritten = true));
    await expect
      .poll(async () => (await pools[1]!.query('select from pg_locks where not granted')).rows.length)
      .toBe(1);
    expect(isWritten).toBe(false);
    await locked.query('commit');
    locked.release();
    await written;
  });
});
