import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';
import { findProgram } from './installed.ts';

/** Debian keeps PostgreSQL's programs out of the PATH, a folder for each version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** The folder of PostgreSQL's programs; undefined where they are not installed. */
export const findPostgres = (): string | undefined => {
  const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES).toSorted() : [];
  const folders = versions.toReversed().map((version) => join(DEBIAN_POSTGRES, version, 'bin'));
  const inPath = findProgram('initdb');
  return [
    process.env['POSTGRES_BIN'],
    inPath === undefined ? undefined : dirname(realpathSync(inPath)),
    ...folders,
  ].find((folder) => folder !== undefined && existsSync(join(folder, 'initdb')));
};

/** PostgreSQL refuses to run as root: there, the user that its package made runs it. */
const unprivileged = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

const answers = async (url: string): Promise<boolean> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
};

/** The child processes of a process, from /proc; none on systems without it. */
const childrenOf = (pid: number): number[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  } catch {
    return [];
  }
};

/**
 * A PostgreSQL on loopback, with TLS beside plain connections, that may be stopped and started again.
 * @param password the password of the user `postgres`. Without it, any connection is accepted
 * @param isDurable commits wait for the disk
 */
export const startPostgres = async ({
  password,
  port: wanted,
  isDurable = false,
}: { password?: string; port?: number; isDurable?: boolean } = {}) => {
  const bin = findPostgres() ?? '';
  const dir = mkdtempSync(join(tmpdir(), 'penstock-postgres-'));
  const file = (name: string) => join(dir, name);
  const user = unprivileged();
  const own = (path: string) => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid ?? 0);
  };
  own(dir);
  for (const name of ['test-cert.pem', 'test-key.pem']) {
    copyFileSync(join(import.meta.dirname, name), file(name));
    chmodSync(file(name), 0o600);
    own(file(name));
  }
  writeFileSync(file('password'), password ?? '', { mode: 0o600 });
  own(file('password'));
  const signIn =
    password === undefined ? ['-A', 'trust'] : ['-A', 'scram-sha-256', `--pwfile=${file('password')}`];
  execFileSync(
    join(bin, 'initdb'),
    ['-D', file('data'), '-U', 'postgres', ...signIn, '-E', 'UTF8', '--no-sync'],
    { ...user, cwd: dir, stdio: 'ignore' },
  );
  const port = wanted ?? (await freePort());
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `fsync=${isDurable ? 'on' : 'off'}`,
    'max_connections=300',
    'ssl=on',
    `ssl_cert_file=${file('test-cert.pem')}`,
    `ssl_key_file=${file('test-key.pem')}`,
  ];
  const url = `postgres://postgres${password === undefined ? '' : `:${password}`}@127.0.0.1:${port}/postgres`;
  let server: ChildProcess;
  let ended: Promise<void>;
  const start = async () => {
    server = spawn(
      join(bin, 'postgres'),
      ['-D', file('data'), '-k', dir, ...settings.flatMap((setting) => ['-c', setting])],
      { ...user, cwd: dir, stdio: 'ignore' },
    );
    ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    while (!(await answers(url)))
      if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}.`);
  };
  /** Fast shutdown: https://www.postgresql.org/docs/current/server-shutdown.html */
  const stop = async () => {
    server.kill('SIGINT');
    await ended;
  };
  /** Of the postmaster and all that it has started. */
  const pids = () => [server.pid ?? 0, ...childrenOf(server.pid ?? 0)].filter((pid) => pid > 0);
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids())
      try {
        process.kill(pid, name);
      } catch {
        // It has ended meanwhile.
      }
  };
  const kill = async () => {
    signal('SIGKILL');
    await ended;
  };
  await start();
  return {
    url,
    port,
    dir,
    pids,
    start,
    stop,
    signal,
    kill,
    close: async () => {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
