import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCH, SIGNIN } from './built-service.ts';
import { connectTo, runOn } from './postgres-client.ts';
import { runProgram } from './run-program.ts';
import { findPostgres, startPostgres } from './start-postgres.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { createEmptyDatabase, type TestDatabase } from './test-database.ts';
import { writeSample } from './write-sample.ts';

const PASSWORD = 'canary-password-7f3a';
/** Of `METADATA_LOCK` and `TELEMETRY_LOCK` in the service. */
const METADATA_LOCK = 7_365_737;
const TELEMETRY_LOCK = 7_365_738;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-postgres-service-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (url: string, more: Parameters<typeof startTestService>[0] = {}) =>
  startTestService({
    parentDir: folder,
    env: { DATABASE_URL: url },
    ...more,
    timeouts: { databaseWaitMs: 0, databaseLockMs: 0, databaseRetryMs: 20, ...more.timeouts },
  });

const readSamples = async ({ request }: TestService) => {
  const { body } = await request('GET', '/v1/telemetry?device=boiler&metric=temp&from=0');
  return body.series[0];
};

const NOW = Date.now();

describe('a service over an empty database', () => {
  let database: TestDatabase;
  let service: TestService;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    service = await start(database.url);
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  it('keeps devices, sessions and samples there, over a restart', async () => {
    expect(await writeSample(service, NOW)).toMatchObject({ status: 200, body: { accepted: 1 } });
    expect(await writeSample(service, NOW)).toMatchObject({ status: 200, body: { duplicates: 1 } });
    await service.restart();
    expect(await readSamples(service)).toMatchObject({ externalId: 'boiler', ts: [NOW], value: [NOW / 10] });
    const { body } = await service.request('GET', '/v1/overview');
    expect(body).toMatchObject({ devices: { total: 1 }, storage: { samples: 1 } });
    expect(readdirSync(service.dataDir).filter((name) => /^(penstock|telemetry)/.test(name))).toEqual([]);
  });

  it('deletes the samples of a device', async () => {
    await writeSample(service, NOW - 1);
    const { body } = await service.request('DELETE', `/v1/telemetry?device=boiler&from=${NOW - 1}&to=${NOW}`);
    expect(body).toEqual({ deleted: 1 });
  });

  it('is restored from a dump of the running database', async () => {
    const bin = findPostgres() ?? '';
    const dump = join(folder, 'penstock.dump');
    execFileSync(join(bin, 'pg_dump'), ['--format', 'custom', '--file', dump, database.url]);
    const restored = await createEmptyDatabase();
    execFileSync(join(bin, 'pg_restore'), ['--dbname', restored.url, dump]);
    const other = await start(restored.url);
    const { token } = service;
    const { body } = await other.request('GET', '/v1/telemetry?device=boiler&from=0', { token });
    expect(body.series).toMatchObject([{ externalId: 'boiler', ts: [NOW] }]);
    const later = { samples: [{ device: 'boiler', ts: NOW, values: { temp: 1, added: 2 } }] };
    const written = await other.request('POST', '/v1/telemetry', { token, body: later });
    expect(written.body).toMatchObject({ accepted: 2, overwritten: 1 });
    await other.close();
    await restored.drop();
  });

  it('prevents the start of a process with another telemetry database, with one sentence', async () => {
    const env = { DATABASE_URL: database.url, TELEMETRY_URL: 'embedded' };
    await expect(start(database.url, { env })).rejects.toThrow(
      /^Another Penstock process uses the database of DATABASE_URL at 127\.0\.0\.1:\d+\. Stop that process, or set DATABASE_URL to another database\.$/,
    );
  });

  it('lets another process print a sign-in link', async () => {
    const { code, stdout } = await runProgram([SIGNIN], { DATABASE_URL: database.url }).ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`${service.url}/#signin=pen_signin_`);
  });

  it('leaves backups to PostgreSQL, and says so', async () => {
    const program = [LAUNCH, 'backup', join(folder, 'backup.tar')];
    const { code, stderr } = await runProgram(program, { DATABASE_URL: database.url }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^penstock: Penstock backs up and restores the files of DATA_DIR, .* Use pg_dump and pg_restore: docs\/postgresql\.md\. For ClickHouse: docs\/clickhouse\.md\.\n$/,
    );
    for (const [env, file] of [
      [{ TELEMETRY_URL: database.url }, 'penstock.db'],
      [{ DATABASE_URL: database.url, TELEMETRY_URL: 'embedded' }, 'telemetry.db'],
    ] as const)
      expect((await runProgram(program, { DATA_DIR: folder, ...env }).ended).stderr).toMatch(
        new RegExp(
          ` keeps only ${file} there\\. .* Stop Penstock, copy "${folder}", and use pg_dump for the other`,
        ),
      );
  });
});

it('names the files that a service with its telemetry in PostgreSQL does not use', async () => {
  const database = await createEmptyDatabase();
  const lines: string[] = [];
  const env = { DATABASE_URL: '', TELEMETRY_URL: database.url };
  const service = await start(database.url, { env, logTo: { write: (line) => void lines.push(line) } });
  const warnings = () => lines.map((line) => JSON.parse(line).msg).filter((text) => /is not used/.test(text));
  expect(warnings()).toEqual([]);
  await service.restart(() => writeFileSync(join(service.dataDir, 'telemetry.db'), 'earlier samples'));
  expect(warnings()).toEqual(['telemetry.db in DATA_DIR is not used, because TELEMETRY_URL is set']);
  // Without penstock.db, the unused telemetry.db does not prevent a start.
  await service.restart(() => {
    for (const name of readdirSync(service.dataDir).filter((file) => file.startsWith('penstock.db')))
      rmSync(join(service.dataDir, name));
  });
  await service.close();
  await database.drop();
});

describe('a server with a password', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  beforeAll(async () => {
    server = await startPostgres({ password: PASSWORD });
  });
  afterAll(() => server.close());

  const withParts = (parts: { username?: string; password?: string; pathname?: string; search?: string }) =>
    Object.assign(new URL(server.url), parts).href;
  let databases = 0;
  /** The URL of a new database. */
  const createDatabase = async (): Promise<string> => {
    const name = `own_${(databases += 1)}`;
    await runOn(server.url, `create database ${name}`);
    return withParts({ pathname: `/${name}` });
  };

  it.each([
    [
      'a wrong password',
      { password: 'wrong' },
      /^PostgreSQL at \S+ rejects the user or the password of DATABASE_URL\./,
    ],
    [
      'a missing database',
      { pathname: '/nowhere' },
      /^PostgreSQL at \S+ has no database "nowhere"\. Create it/,
    ],
    [
      'an unknown certificate',
      { search: '?sslmode=verify-full' },
      /^The certificate of PostgreSQL at \S+ is not trusted\./,
    ],
  ])('fails a start with %s in one line without the password', async (_, parts, line) => {
    const failure = await start(withParts(parts)).catch((error: Error) => error);
    expect(failure).toMatchObject({ name: 'UnusableDatabase', message: expect.stringMatching(line) });
    expect(inspect(failure)).not.toContain(PASSWORD);
  });

  it('fails a start of a user who may not create tables', async () => {
    await runOn(server.url, `create role reader login password '${PASSWORD}'`);
    await expect(start(withParts({ username: 'reader' }))).rejects.toThrow(
      /^The user of DATABASE_URL cannot create tables or the extension pg_trgm at/,
    );
  });

  it('fails a start with another encoding', async () => {
    await runOn(server.url, `create database ascii encoding 'SQL_ASCII' locale 'C' template template0`);
    await expect(start(withParts({ pathname: '/ascii' }))).rejects.toThrow(/encoding SQL_ASCII\. Create one/);
  });

  it.each([
    '?sslmode=require',
    `?sslmode=verify-full&sslrootcert=${join(import.meta.dirname, 'test-cert.pem')}`,
  ])('connects over TLS: %s', async (search) => {
    const service = await start(withParts({ search }));
    const client = await connectTo(server.url);
    const { rows } = await client.query(
      `select bool_and(ssl) as "isEncrypted" from pg_stat_ssl
       join pg_stat_activity using (pid) where application_name = 'penstock'`,
    );
    expect(rows).toEqual([{ isEncrypted: true }]);
    await client.end();
    await service.close();
  });

  it('that restarts interrupts a service, which logs it without the password', async () => {
    let log = '';
    const service = await start(await createDatabase(), { logTo: { write: (line) => void (log += line) } });
    await writeSample(service, NOW);
    await server.stop();
    const { status, body, headers } = await writeSample(service, NOW + 1);
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'overloaded', '5']);
    expect((await service.request('GET', '/v1/health', { token: null })).status).toBe(503);
    await server.start();
    await expect.poll(async () => (await writeSample(service, NOW + 1)).status).toBe(200);
    expect(await readSamples(service)).toMatchObject({ ts: [NOW, NOW + 1] });
    const lines = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const of = (text: string) => lines.filter(({ msg }) => msg?.startsWith(text)).length;
    // One for each of metadata and telemetry.
    expect([of('lost the connection to PostgreSQL'), of('PostgreSQL answers again')]).toEqual([2, 2]);
    expect(log).not.toContain(PASSWORD);
    await service.close();
  });

  it('that falls silent fails the requests that wait for it', async () => {
    const service = await start(await createDatabase(), { timeouts: { databaseCheckMs: 300 } });
    await writeSample(service, NOW);
    server.signal('SIGSTOP');
    const { status } = await writeSample(service, NOW + 1);
    server.signal('SIGCONT');
    expect(status).toBe(503);
    await expect.poll(async () => (await writeSample(service, NOW + 1)).status).toBe(200);
    await service.close();
  });

  it('makes no device late by its downtime', async () => {
    let now = NOW;
    const service = await start(await createDatabase(), { now: () => now });
    await writeSample(service, NOW);
    await server.stop();
    now += 6 * 3_600_000;
    await server.start();
    const stateOf = async () => {
      const { body } = await service.request('GET', '/v1/devices?q=boiler');
      return body.data?.[0].state;
    };
    await expect.poll(stateOf).toBe('online');
    // Without an interval, a device is late after 5 minutes and offline after 10.
    now += 301_000;
    await expect.poll(stateOf).toBe('late');
    await service.close();
  });

  it.each([
    ['kysely_migration', 'DATABASE_URL', METADATA_LOCK],
    ['telemetry_migration', 'telemetry', TELEMETRY_LOCK],
  ])(
    'stops a service whose database a newer version has migrated during an outage (%s)',
    async (table, name, lockId) => {
      const url = await createDatabase();
      const unusable: string[] = [];
      const service = await start(url, { onDatabaseUnusable: ({ message }) => void unusable.push(message) });
      await runOn(url, `insert into ${table} (name, timestamp) values ('9999-future', '')`);
      await runOn(
        url,
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${lockId}`,
      );
      await expect
        .poll(() => unusable)
        .toEqual([
          `The database of ${name} was written by a newer version of Penstock (schema 9999-future). Install that version or a newer one, or set ${name === 'telemetry' ? 'TELEMETRY_URL' : name} to another database.`,
        ]);
      expect((await writeSample(service, NOW)).status).toBe(503);
      await service.close();
    },
  );

  it('stops a service whose lock another process took', async () => {
    const url = await createDatabase();
    const taken: string[] = [];
    const service = await start(url, { onDatabaseUnusable: ({ message }) => void taken.push(message) });
    const other = await connectTo(url);
    const locked = other.query('select pg_advisory_lock($1)', [METADATA_LOCK]);
    const killer = await connectTo(url);
    const TERMINATE = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
      and objid = ${METADATA_LOCK}`;
    await expect
      .poll(
        async () =>
          (await killer.query(`select from pg_locks where locktype = 'advisory' and not granted`)).rowCount,
      )
      .toBe(1);
    await killer.query(TERMINATE);
    await locked;
    await expect
      .poll(() => taken)
      .toEqual([expect.stringMatching(/^Another Penstock process uses the database/)]);
    expect((await writeSample(service, NOW)).status).toBe(503);
    await service.close();
    await Promise.all([other.end(), killer.end()]);
  });
});

it('a server that does not answer fails the start after a while', async () => {
  await expect(start('postgres://nobody@127.0.0.1:1/penstock')).rejects.toThrow(
    /^No PostgreSQL server answers at 127\.0\.0\.1:1\. Start it, or correct DATABASE_URL \(/,
  );
});
