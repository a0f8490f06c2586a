import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRateMeter, describeProgress } from '#service/migrate/describe-progress.ts';
import {
  compareMigration,
  migrateData,
  type Migration,
  type MigrationResult,
} from '#service/migrate/migrate-data.ts';
import { openMigrationSource } from '#service/migrate/migration-source.ts';
import { MigrationStopped, type Progress } from '#service/migrate/migration-steps.ts';
import { METADATA_LOCK, TELEMETRY_LOCK } from '#service/open-postgres.ts';
import { readPostgresAddress } from '#service/platform/storage/dialects/postgres-address.ts';
import { openPostgresDatabase } from '#service/platform/storage/postgres-database.ts';
import { LAUNCH } from './built-service.ts';
import { copyInstallation, FILLED_ENV, startFilledService } from './filled-installation.ts';
import { connectTo, runOn } from './postgres-client.ts';
import { runProgram } from './run-program.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { createEmptyDatabase, type TestDatabase } from './test-database.ts';
import { withSqlite } from './with-sqlite.ts';

/** More than one batch. */
const SAMPLES = 45_000;
const TIMEOUTS = {
  databaseWaitMs: 0,
  databaseLockMs: 5_000,
  databaseCheckMs: 10_000,
  databaseRetryMs: 20,
  databaseEndMs: 2_000,
};

let folder: string;
let service: TestService;
/** The data directory of a stopped service. */
let dataDir: string;
/** What the service answered before it stopped. */
let answers: Record<string, unknown>;
let key: string;

const PATHS = [
  '/v1/devices?limit=3&sort=name',
  '/v1/devices/facets?by=tag:site',
  '/v1/devices?tag=site:north&state=never-seen&limit=5',
  '/v1/pipelines',
  '/v1/destinations',
  '/v1/networks',
  '/v1/telemetry/latest?device=pump-7&metric=flow',
  '/v1/telemetry?device=pump-7&metric=flow&from=0&to=1760000010000',
  '/v1/events?type=pipeline.created',
];

/** What changes while a service runs. */
const VOLATILE =
  /"(ageMs|nextCursor|lastSeenAt|lastErrorAt|lastError|lastDeliveredAt|throughput|state|stateReason|stateReasonSince|since|spool|rate|delivery|lag[A-Za-z]*)":("[^"]*"|null|-?[\d.]+|\{[^{}]*\}),?/g;

const readAnswers = async ({ request }: TestService, token: string) =>
  Object.fromEntries(
    await Promise.all(
      PATHS.map(async (path) => {
        const { status, body } = await request('GET', path, { token });
        return [path, status === 200 ? JSON.stringify(body).replaceAll(VOLATILE, '') : status];
      }),
    ),
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-migrate-'));
  service = await startFilledService();
  key = (
    await service.mintKey([
      'devices:read',
      'devices:write',
      'telemetry:read',
      'pipelines:read',
      'network:manage',
      'events:read',
    ])
  ).secret;
  answers = await readAnswers(service, key);
  dataDir = join(folder, 'data');
  await service.restart(() => copyInstallation(service.dataDir, dataDir, SAMPLES));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const createDatabase = async (): Promise<TestDatabase> => {
  const database = await createEmptyDatabase();
  onTestFinished(database.drop);
  return database;
};

type Work = (migration: Migration) => Promise<MigrationResult>;
type Options = Partial<Pick<Migration, 'report' | 'signal' | 'onRetry'>> & {
  from?: string;
  telemetryTo?: string;
};

/** Runs work as the command does, without a process of its own. */
const run = async (
  work: Work,
  to: string,
  { from = dataDir, telemetryTo = to, ...more }: Options = {},
): Promise<MigrationResult> => {
  const source = await openMigrationSource(from);
  const closers: (() => Promise<void>)[] = [async () => source.close()];
  const open = async (url: string, content: 'metadata' | 'telemetry') => {
    const address = readPostgresAddress(url)!;
    const lockId = content === 'metadata' ? METADATA_LOCK : TELEMETRY_LOCK;
    const database = await openPostgresDatabase({
      address,
      variable: '--to',
      content,
      lockId,
      mayShare: false,
      timeouts: TIMEOUTS,
      log: pino({ level: 'silent' }),
      onUnusable: () => undefined,
    });
    closers.unshift(database.close);
    return { database, name: 'The database of --to' };
  };
  try {
    return await work({
      source: source.telemetry,
      metadata: { from: source.metadata, to: await open(to, 'metadata') },
      telemetry: await open(telemetryTo, 'telemetry'),
      now: Date.now,
      signal: new AbortController().signal,
      report: () => undefined,
      onRetry: () => undefined,
      retriesMs: [100, 200, 400, 800, 1_600],
      ...more,
    });
  } finally {
    for (const close of closers) await close();
  }
};

const digestFiles = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dataDir)
      .filter((name) => /\.db(-wal)?$/.test(name) && name !== 'lock.db')
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(dataDir, name)))
          .digest('hex'),
      ]),
  );

const start = (url: string) =>
  startTestService({
    env: { DATABASE_URL: url, ...FILLED_ENV },
    timeouts: { databaseWaitMs: 0, databaseLockMs: 0 },
  });

/** Kills a migration after its nth step: what it committed stays. */
const killAfter = (steps: number) => {
  let left = steps;
  return () => {
    left -= 1;
    if (left === 0) throw new Error('killed');
  };
};

it('a service over PostgreSQL answers as the embedded one did, and goes on counting where that was', async () => {
  const { url } = await createDatabase();
  const before = digestFiles();
  const { tables, telemetry } = await run(migrateData, url);
  expect(digestFiles(), 'the source').toEqual(before);
  expect(telemetry.samples).toBeGreaterThan(SAMPLES);
  const empty = tables.filter(({ rows }) => rows === 0).map(({ table }) => table);
  // A service with embedded databases needs no lease.
  expect(empty, 'tables without rows').toEqual(['lease']);
  expect(Object.values(answers).filter((answer) => typeof answer === 'number')).toEqual([]);
  const migrated = await start(url);
  onTestFinished(migrated.close);
  expect(await readAnswers(migrated, key)).toEqual(answers);
  const created = await migrated.request('POST', '/v1/devices', {
    token: key,
    body: { externalId: 'new', name: 'New', tags: { site: 'north' } },
  });
  expect(created.status).toBe(201);
  const ts = 1_760_000_000_000;
  const level = await migrated.request(
    'GET',
    `/v1/telemetry?device=pump-7&metric=level&from=${ts}&to=${ts + 240_000}`,
    { token: key },
  );
  expect(level.body.series[0]).toMatchObject({ value: [0, 1, Math.SQRT2, Math.sqrt(3)] });
});

it('telemetry is stored in a separate database if TELEMETRY_URL names one', async () => {
  const [metadata, telemetry] = [await createDatabase(), await createDatabase()];
  await run(migrateData, metadata.url, { telemetryTo: telemetry.url });
  const client = await connectTo(telemetry.url);
  onTestFinished(() => client.end());
  const { rows } = await client.query(
    `select to_regclass('device') as device, count(*)::int from telemetry_sample`,
  );
  expect(rows).toEqual([{ device: null, count: expect.any(Number) }]);
  expect(rows[0].count).toBeGreaterThan(SAMPLES);
});

describe('a migration that was killed', () => {
  it('after every few steps is continued to the end', async () => {
    const every = 7;
    const { url } = await createDatabase();
    let kills = 0;
    for (let steps = every; ; steps += every)
      try {
        await run(migrateData, url, { report: killAfter(steps) });
        break;
      } catch (error) {
        expect(error).toMatchObject({ message: 'killed' });
        kills += 1;
        if (kills > 200) throw error;
      }
    expect(kills).toBeGreaterThan(4);
    await run(compareMigration, url);
  });

  it('prevents the start of a service over the part that it copied', async () => {
    const { url } = await createDatabase();
    await expect(run(migrateData, url, { report: killAfter(3) })).rejects.toThrow('killed');
    await expect(start(url)).rejects.toThrow(
      /^The database of DATABASE_URL holds an unfinished migration\. To continue the migration, run (npm run|.*penstock) migrate again, then start Penstock\.$/,
    );
  });

  it('is not continued with other data', async () => {
    const { url } = await createDatabase();
    await expect(run(migrateData, url, { report: killAfter(3) })).rejects.toThrow('killed');
    const from = join(folder, 'changed');
    cpSync(dataDir, from, { recursive: true });
    withSqlite(join(from, 'penstock.db'), (db) => db.exec('UPDATE fact SET value = value'));
    await expect(run(migrateData, url, { from })).rejects.toThrow(
      /^The database of --to holds an unfinished migration of other data, or of this data before it changed, started \S+ by Penstock \S+\. Specify an empty database\.$/,
    );
  });
});

it('stops between two steps on a signal, and continues', async () => {
  const { url } = await createDatabase();
  const controller = new AbortController();
  const seen: Progress[] = [];
  const report = (progress: Progress) => {
    seen.push(progress);
    if (progress.unit === 'samples') controller.abort();
  };
  const stopped = run(migrateData, url, { report, signal: controller.signal });
  await expect(stopped).rejects.toBeInstanceOf(MigrationStopped);
  const copiedBefore = seen.at(-1)!.done;
  const later: Progress[] = [];
  await run(migrateData, url, { report: (progress) => void later.push(progress) });
  expect(later[0], 'nothing is copied twice').toMatchObject({ phase: 'copied', unit: 'samples' });
  expect(later[0]!.done).toBeGreaterThan(copiedBefore);
});

it('continues after the connection was lost', async () => {
  const { url } = await createDatabase();
  const killer = await connectTo(url);
  onTestFinished(() => killer.end());
  let [steps, retries] = [0, 0];
  let killed: Promise<unknown> = Promise.resolve();
  await run(migrateData, url, {
    report: () => {
      steps += 1;
      if (steps % 7 !== 0 || steps > 21) return;
      killed = killer.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'penstock'`,
      );
    },
    onRetry: () => void (retries += 1),
  });
  await killed;
  expect(retries).toBeGreaterThan(0);
});

describe('the comparison', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    await run(migrateData, database.url);
  });
  afterAll(() => database.drop());

  it.each([
    [
      'a changed row',
      `update pipeline set received = received + 1`,
      `update pipeline set received = received - 1`,
      /^The data in PostgreSQL differs from the source\. pipeline has 2 rows in PostgreSQL and 2 in penstock\.db; the first difference is at the key \["pip_/,
    ],
    [
      'a changed sample',
      `update telemetry_sample set value = value + 1 where ts = 1760000060000 and value = 1`,
      `update telemetry_sample set value = value - 1 where ts = 1760000060000 and value = 2`,
      /dev_\S+ level has [\d,]+ samples \(\w+\) in PostgreSQL and [\d,]+ samples \(\w+\) in telemetry\.db\./,
    ],
    [
      'a series that the source lacks',
      `insert into telemetry_series (device, metric, kind) values ('dev_x', 'x', 0)`,
      `delete from telemetry_series where device = 'dev_x'`,
      /PostgreSQL has 8 series and [\d,]+ samples \([\d,]+ by the counts of its partitions\); telemetry\.db has 7 and/,
    ],
  ])('finds %s', async (_, change, undo, message) => {
    await runOn(database.url, change);
    await expect(run(compareMigration, database.url)).rejects.toThrow(message);
    await runOn(database.url, undo);
    await run(compareMigration, database.url);
  });

  it('of a database without a migration is rejected', async () => {
    const { url } = await createDatabase();
    await expect(run(compareMigration, url)).rejects.toThrow(
      / holds no finished migration, so there is nothing to compare\./,
    );
  });

  it('is suggested for a finished migration', async () => {
    await expect(run(migrateData, database.url)).rejects.toThrow(
      /^The database of --to holds a finished migration, started \S+ by Penstock \S+\. Start Penstock with it, compare it with --verify, or specify an empty database\.$/,
    );
  });
});

describe('the migration rejects', () => {
  it('a running source', async () => {
    await expect(openMigrationSource(service.dataDir)).rejects.toThrow(
      `Penstock is running with "${service.dataDir}". Stop it, then run the command again.`,
    );
  });

  it('a database that contains anything else', async () => {
    const { url } = await createDatabase();
    await runOn(
      url,
      'create table a_log (id serial primary key); create table b (id int); create view c as select 1',
    );
    await expect(run(migrateData, url)).rejects.toThrow(
      'The database of --to is not empty: it contains a_log, b, c and 1 more. Specify an empty database.',
    );
  });

  it.each(['penstock.db', 'telemetry.db'])('%s without tables', async (file) => {
    const from = join(folder, `blank-${file}`);
    cpSync(dataDir, from, { recursive: true });
    for (const end of ['', '-wal', '-shm']) rmSync(join(from, `${file}${end}`), { force: true });
    withSqlite(join(from, file), (db) => db.exec('CREATE TABLE x (y); DROP TABLE x'));
    await expect(openMigrationSource(from)).rejects.toThrow(
      `${file} has no tables of Penstock. Start Penstock with this DATA_DIR once, which creates them.`,
    );
  });

  it('data of an earlier version', async () => {
    const from = join(folder, 'earlier');
    cpSync(dataDir, from, { recursive: true });
    withSqlite(join(from, 'penstock.db'), (db) =>
      db.exec('DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration)'),
    );
    await expect(openMigrationSource(from)).rejects.toThrow(
      `An earlier version of Penstock wrote penstock.db in "${from}". Start this version once with this DATA_DIR, stop Penstock, then run the command again.`,
    );
  });
});

it('shows the rate and the time left', () => {
  let elapsedMs = 0;
  const measure = createRateMeter(() => elapsedMs);
  const progress = {
    phase: 'copied',
    table: 'telemetry_sample',
    done: 1_000_000,
    total: 4_000_000,
    unit: 'samples',
  } as const;
  expect(describeProgress(progress, measure(progress))).toBe(
    'telemetry_sample: copied 1,000,000 of 4,000,000 samples',
  );
  elapsedMs = 10_000;
  const later = { ...progress, done: 1_200_000 };
  expect(describeProgress(later, measure(later))).toBe(
    'telemetry_sample: copied 1,200,000 of 4,000,000 samples, 20,000/s, 3 min left',
  );
});

describe('the command', () => {
  const migrate = (args: readonly string[], env: Record<string, string> = {}) =>
    runProgram([LAUNCH, 'migrate', ...args], { INIT_CWD: folder, ...env }).ended;

  it('prints one line of JSON, the progress and what else to do', async () => {
    const { url } = await createDatabase();
    const { code, stdout, stderr } = await migrate(['--from', 'data', '--to', url]);
    expect(stderr).toContain('Secrets are stored in the database as they were in penstock.db');
    const summary = JSON.parse(stdout);
    expect(summary).toMatchObject({ state: 'finished', from: dataDir, references: ['PENSTOCK_HOOK'] });
    expect(summary.tables.find(({ table }: { table: string }) => table === 'webhook')).toEqual({
      table: 'webhook',
      rows: 2,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 1]);
    const again = await migrate([], { DATA_DIR: dataDir, DATABASE_URL: url });
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/^The database of DATABASE_URL at \S+ holds a finished migration, /),
    });
  });

  it('never prints a password', async () => {
    const url = 'postgres://penstock:canary-password@127.0.0.1:1/penstock?sslmode=wrong';
    for (const args of [['--to', url], ['--too', url], [url]]) {
      const { code, stdout, stderr } = await migrate(['--from', 'data', ...args]);
      expect(code).toBe(1);
      expect(stdout + stderr).not.toContain('canary-password');
    }
  });
});
