import { chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPostgresAddress } from '#service/platform/storage/dialects/postgres-address.ts';
import { holdDatabase } from '#service/platform/storage/postgres-lock.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { runOn } from './postgres-client.ts';
import { startPostgres } from './start-postgres.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { createEmptyDatabase, type TestDatabase } from './test-database.ts';
import { writeSample } from './write-sample.ts';

const FAST = { databaseWaitMs: 0, databaseCheckMs: 1_000, databaseRetryMs: 20 };

const NOW = Date.now();

describe('a service', () => {
  let database: TestDatabase;
  let proxy: Awaited<ReturnType<typeof startFaultProxy>>;
  let service: TestService;
  let lines: { msg: string; reason?: string }[] = [];
  const taken: string[] = [];
  beforeAll(async () => {
    database = await createEmptyDatabase();
    const url = new URL(database.url);
    proxy = await startFaultProxy(Number(url.port));
    url.port = String(proxy.port);
    service = await startTestService({
      env: { DATABASE_URL: url.href },
      timeouts: { ...FAST, databaseLockMs: 5_000 },
      logTo: { write: (line) => void lines.push(JSON.parse(line)) },
      onDatabaseUnusable: ({ message }) => void taken.push(message),
    });
    await writeSample(service, NOW);
  });
  afterAll(async () => {
    await service.close();
    await proxy.close();
    await database.drop();
  });

  it('whose connections break unnoticed by the server takes back its own lock', async () => {
    proxy.strand();
    await expect.poll(async () => (await writeSample(service, NOW + 1)).status).toBe(200);
    expect(taken).toEqual([]);
  });

  it('connects again if the new connection breaks unnoticed as well', async () => {
    proxy.strandAt = 'pg_is_in_recovery';
    proxy.strand();
    await expect.poll(async () => (await writeSample(service, NOW + 2)).status).toBe(200);
    expect(proxy.strandAt).toBeUndefined();
  });

  it('logs once that the server rejects its connections, until it accepts them', async () => {
    lines = [];
    const maintenance = new URL(database.url);
    const name = maintenance.pathname.slice(1);
    maintenance.pathname = '/postgres';
    // Two transactions: the service connects again at once.
    await runOn(maintenance.href, `alter database ${name} allow_connections false`);
    await runOn(
      maintenance.href,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    const failures = () => lines.filter(({ msg }) => msg === 'could not connect to PostgreSQL');
    // One for each of metadata and telemetry.
    await expect.poll(failures).toHaveLength(2);
    const before = proxy.accepted;
    await expect.poll(() => proxy.accepted - before).toBeGreaterThan(3);
    await runOn(maintenance.href, `alter database ${name} allow_connections true`);
    await expect.poll(async () => (await writeSample(service, NOW + 4)).status).toBe(200);
    expect(failures()).toHaveLength(2);
  });

  it('logs once that the disk of the server is full', async () => {
    lines = [];
    await runOn(
      database.url,
      `create function fail() returns trigger language plpgsql
         as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
       create trigger fail before insert on telemetry_sample for each row execute function fail()`,
    );
    expect((await writeSample(service, NOW + 2)).status).toBe(507);
    expect((await writeSample(service, NOW + 3)).status).toBe(507);
    const failures = lines.filter(({ msg }) => msg === 'a call to PostgreSQL failed');
    expect(failures).toMatchObject([{ content: 'telemetry', reason: 'could not extend file' }]);
  });
});

it('a lock whose connection broke unnoticed is closed', async () => {
  const database = await createEmptyDatabase();
  const url = new URL(database.url);
  const proxy = await startFaultProxy(Number(url.port));
  url.port = String(proxy.port);
  const lock = await holdDatabase({
    address: readPostgresAddress(url.href)!,
    variable: 'DATABASE_URL',
    content: 'metadata',
    lockId: 1,
    mayShare: false,
    timeouts: { databaseLockMs: 0, databaseCheckMs: 1_000, databaseRetryMs: 20, databaseEndMs: 500 },
    log: pino({ level: 'silent' }),
    onLost: () => undefined,
    onResumed: () => undefined,
    onUnusable: () => undefined,
  });
  proxy.strand();
  await lock.close();
  await proxy.close();
  await database.drop();
});

it('a start on a standby fails, because its locks do not reach the primary', async () => {
  const server = await startPostgres();
  await server.stop();
  const data = join(server.dir, 'data');
  const { uid, gid } = statSync(data);
  writeFileSync(join(data, 'standby.signal'), '');
  chownSync(join(data, 'standby.signal'), uid, gid);
  await server.start();
  await expect(
    startTestService({ env: { DATABASE_URL: server.url }, timeouts: { ...FAST, databaseLockMs: 0 } }),
  ).rejects.toThrow('the server is a standby');
  await server.close();
});
