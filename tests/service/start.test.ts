import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import packageJson from '#package.json' with { type: 'json' };
import { MAIN, SIGNIN } from './built-service.ts';
import { createEarlierDatabase, versions } from './earlier-database.ts';
import { runProgram } from './run-program.ts';
import { isFullRun } from './sized.ts';
import { startTestService } from './start-test-service.ts';
import { withSqlite } from './with-sqlite.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-start-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const envWith = (env: Record<string, string>) => ({
  PORT: '0',
  MQTT_PORT: '0',
  SEED: 'none',
  DATA_DIR: join(folder, 'data'),
  ...env,
});
const launch = (file: string, env: Record<string, string>) => runProgram([file], envWith(env));

const start = async (env: Record<string, string> = {}) => {
  const service = launch(MAIN, env);
  onTestFinished(() => void service.child.kill('SIGKILL'));
  await expect.poll(() => service.output.stderr).toContain('"listening"');
  return service;
};

const lines = (text: string) => text.trim().split('\n');

/** The exit code if further attempts fail too. Only the service has a code for this: its supervisor restarts it. */
const finalExitOf = (program: string) => (program === MAIN ? 78 : 1);

/** The programs that open the databases. */
const PROGRAMS = isFullRun ? [MAIN, SIGNIN] : [MAIN];

it('each start is an event with the version', async () => {
  const dataDir = mkdtempSync(join(folder, 'started-'));
  for (const _ of [1, 2]) {
    const { child, ended } = await start({ DATA_DIR: dataDir });
    child.kill('SIGTERM');
    await ended;
  }
  const read = `SELECT subject_name AS name, data FROM event WHERE type = 'service.started'`;
  const started = withSqlite(join(dataDir, 'penstock.db'), (db) => db.prepare(read).all());
  const data = JSON.stringify({ version: packageJson.version });
  expect(started).toEqual([1, 2].map(() => ({ name: 'Penstock', data })));
});

describe('a failed start ends with one line that says what to do', () => {
  // Each variable: config.test.ts.
  it.each([
    ['PORT', 'eighty', 78, /^penstock: PORT must be a port number from 0 to 65535 \(it is "eighty"\)\./],
    ['TLS_CERT', '/nowhere/cert.pem', 78, /^penstock: TLS_CERT must be a path to a PEM file/],
    ['HOST', '203.0.113.7', 1, /HOST is "203\.0\.113\.7", which is not an address of this machine/],
  ])('%s=%s', async (name, value, exit, line) => {
    const { code, stderr } = await launch(MAIN, { [name]: value }).ended;
    expect(code).toBe(exit);
    expect(lines(stderr)).toHaveLength(1);
    expect(stderr).toMatch(line);
  });

  it('a port in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stderr } = await launch(MAIN, { PORT: String(port) }).ended;
    other.close();
    expect(code).toBe(1);
    expect(lines(stderr)).toEqual([expect.stringMatching(`Another program uses PORT ${port} on 127.0.0.1.`)]);
  });

  it.each(PROGRAMS)('a damaged penstock.db: %s', async (program) => {
    const dataDir = join(folder, 'damaged');
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(join(dataDir, 'penstock.db'), 'x'.repeat(8_192));
    const { code, stderr } = await launch(program, { DATA_DIR: dataDir }).ended;
    expect(code).toBe(finalExitOf(program));
    expect(lines(stderr)).toEqual([
      `penstock: penstock.db in DATA_DIR "${dataDir}" is damaged (file is not a database). Move penstock.db and telemetry.db away with their -wal and -shm files, restore both from a backup, then start Penstock again.`,
    ]);
  });

  it('a penstock.db that is a directory', async () => {
    const dataDir = join(folder, 'directory');
    mkdirSync(join(dataDir, 'penstock.db'), { recursive: true });
    const { code, stderr } = await launch(MAIN, { DATA_DIR: dataDir }).ended;
    expect(code).toBe(78);
    expect(lines(stderr)).toEqual([
      `penstock: penstock.db or lock.db in DATA_DIR "${dataDir}" cannot be opened. Check that both are files that this user can read and write.`,
    ]);
  });

  it.each([...PROGRAMS.map((program) => ['penstock.db', program] as const), ['telemetry.db', MAIN] as const])(
    '%s of a newer version: %s',
    async (file, program) => {
      const dataDir = mkdtempSync(join(folder, 'newer-'));
      const service = await startTestService();
      await service.restart(() => cpSync(service.dataDir, dataDir, { recursive: true }));
      await service.close();
      withSqlite(join(dataDir, file), (db) =>
        db.exec(
          file === 'penstock.db'
            ? "INSERT INTO kysely_migration VALUES ('99', '2030-01-01T00:00:00.000Z')"
            : 'PRAGMA user_version = 99',
        ),
      );
      const { code, stderr } = await launch(program, { DATA_DIR: dataDir, LOG_LEVEL: 'error' }).ended;
      expect(code).toBe(finalExitOf(program));
      expect(lines(stderr)).toEqual([
        `penstock: ${file} was written by a newer version of Penstock (schema 99). Install that version or a newer one, or set DATA_DIR to another directory.`,
      ]);
    },
  );

  it('a damaged lock.db', async () => {
    const dataDir = join(folder, 'damaged-lock');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'lock.db'), 'x'.repeat(8_192));
    const { code, stderr } = await launch(MAIN, { DATA_DIR: dataDir }).ended;
    expect(code).toBe(78);
    expect(lines(stderr)).toEqual([
      `penstock: lock.db in DATA_DIR "${dataDir}" is damaged (file is not a database). Delete lock.db, which holds no data, then start Penstock again.`,
    ]);
  });

  it.each(PROGRAMS.flatMap((program) => [['a missing', program] as const, ['an empty', program] as const]))(
    'samples beside %s penstock.db: %s',
    async (metadata, program) => {
      const dataDir = mkdtempSync(join(folder, 'samples-only-'));
      writeFileSync(join(dataDir, 'telemetry.db'), 'samples');
      if (metadata === 'an empty') writeFileSync(join(dataDir, 'penstock.db'), '');
      const { code, stderr } = await launch(program, { DATA_DIR: dataDir }).ended;
      expect(code).toBe(finalExitOf(program));
      expect(lines(stderr)).toEqual([
        `penstock: DATA_DIR "${dataDir}" holds telemetry.db, but penstock.db is missing or empty. Move telemetry.db away, then restore both from a backup or start with an empty database.`,
      ]);
      expect(statSync(join(dataDir, 'penstock.db'), { throwIfNoEntry: false })?.size ?? 0).toBe(0);
    },
  );

  it('a data directory that cannot be created', async () => {
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const { code, stderr } = await launch(MAIN, { DATA_DIR: join(file, 'data') }).ended;
    expect(code).toBe(1);
    expect(lines(stderr)).toEqual([expect.stringMatching(/DATA_DIR ".*a-file\/data" is not writable/)]);
  });
});

describe('a start', () => {
  it('restricts the data directory to its owner, prints a link until the first sign-in, and locks out other processes', async () => {
    const dataDir = join(folder, 'fresh');
    const first = await start({ DATA_DIR: dataDir });
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    await expect
      .poll(() => first.output.stdout)
      .toMatch(/http:\/\/127\.0\.0\.1:\d+\/#signin=pen_signin_\w+\s/);
    expect(first.output.stderr).not.toContain('pen_signin_');
    for (const name of readdirSync(dataDir))
      expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, 0]);
    const openLink = async (stdout: string) => {
      const [, url, token] = /(http:\S+)\/#signin=(\S+)/.exec(stdout) ?? [];
      const response = await fetch(`${url}/v1/sessions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
      return response.status;
    };
    expect(await openLink(first.output.stdout)).toBe(201);
    const signin = await launch(SIGNIN, { DATA_DIR: dataDir }).ended;
    expect(signin.code).toBe(0);
    expect(await openLink(signin.stdout)).toBe(201);
    first.child.kill('SIGTERM');
    expect((await first.ended).code, 'it stops on SIGTERM').toBe(0);
    const second = await start({ DATA_DIR: dataDir });
    await expect
      .poll(() => second.output.stdout)
      .toMatch(/Penstock is running at http:\S+ \(for a new sign-in link: penstock signin\)/);
    expect(second.output.stdout).not.toContain('#signin=');

    // Another process uses the data directory.
    const third = await launch(MAIN, { DATA_DIR: dataDir }).ended;
    expect(third.code).toBe(1);
    expect(lines(third.stderr)).toEqual([
      expect.stringMatching(/^penstock: DATA_DIR ".*fresh" is in use by another Penstock process\./),
    ]);
    second.child.kill('SIGKILL');
    await second.ended;
    await start({ DATA_DIR: dataDir });
  });

  it('by npm stops with npm, although the shell between them forwards no signal', async () => {
    const env = envWith({ npm_lifecycle_event: 'start', DATA_DIR: join(folder, 'by-npm') });
    const shell = runProgram(['-c', `"${process.execPath}" "${MAIN}"; true`], env, 'sh');
    await expect.poll(() => shell.output.stderr).toContain('"listening"');
    shell.child.kill('SIGTERM');
    expect((await shell.ended).stderr).toContain('npm was stopped');
  });

  it('of the signin command does not migrate a penstock.db of an older version', async () => {
    const dataDir = join(folder, 'older');
    mkdirSync(dataDir);
    const path = join(dataDir, 'penstock.db');
    await createEarlierDatabase(path, versions.at(-2)!);
    const { code, stderr } = await launch(SIGNIN, { DATA_DIR: dataDir }).ended;
    expect([code, stderr]).toEqual([
      1,
      'penstock: penstock.db was written by an older version of Penstock. Stop its processes, then start this version once, which migrates it.\n',
    ]);
    const latest = withSqlite(path, (db) =>
      db.prepare('SELECT max(name) AS name FROM kysely_migration').get(),
    );
    expect(latest).toEqual({ name: versions.at(-2) });
  });

  it('of the signin command without a database fails, and names the directory and the settings to copy', async () => {
    const dataDir = join(folder, 'nothing-here');
    const hint =
      '. Set DATA_DIR and DATABASE_URL as for the service, then run this command again. If the service has never run, start it once.\n';
    const named = await launch(SIGNIN, { DATA_DIR: dataDir }).ended;
    expect([named.code, named.stderr]).toEqual([
      1,
      `penstock: There is no database in DATA_DIR "${dataDir}"${hint}`,
    ]);
    const cwd = mkdtempSync(join(folder, 'elsewhere-'));
    const { code, stderr } = await runProgram([SIGNIN], {}, process.execPath, cwd).ended;
    const byDefault = join(cwd, 'data');
    expect([code, stderr]).toEqual([
      1,
      `penstock: There is no database in DATA_DIR "${byDefault}" (the default, because DATA_DIR is not set)${hint}`,
    ]);
  });
});

it('ends with a line that says why once the telemetry thread has ended', async () => {
  const endThreads = join(folder, 'end-threads.mjs');
  writeFileSync(
    endThreads,
    "process.on('worker', (thread) => process.once('SIGUSR2', () => void thread.terminate()));",
  );
  const service = await start({ DATA_DIR: join(folder, 'ended'), NODE_OPTIONS: `--import=${endThreads}` });
  service.child.kill('SIGUSR2');
  const { code, stderr } = await service.ended;
  expect(code).toBe(1);
  const line =
    'penstock: The thread that reads and writes telemetry.db ended (The telemetry thread has ended.), so the service stopped. All acknowledged writes are on disk. Start Penstock again.';
  expect(lines(stderr).at(-1)).toBe(line);
  expect(lines(stderr).filter((entry) => !entry.startsWith('{'))).toEqual([line]);
  expect(stderr).toContain('"msg":"the telemetry thread has ended"');
});
