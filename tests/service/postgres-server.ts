import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

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

/** Runs for the project `postgres`: a server on loopback for all its files, whose programs are in POSTGRES_BIN. */
export const setup = async (): Promise<() => Promise<void>> => {
  const bin = process.env['POSTGRES_BIN'] ?? '';
  const dir = mkdtempSync(join(tmpdir(), 'penstock-postgres-'));
  const user = unprivileged();
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid ?? 0);
  const data = join(dir, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...user,
      cwd: dir,
      stdio: 'ignore',
    },
  );
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'fsync=off', 'max_connections=300'];
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-k', dir, ...settings.flatMap((setting) => ['-c', setting])],
    { ...user, cwd: dir, stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  while (!(await answers(url)))
    if (server.exitCode !== null) throw new Error(`PostgreSQL ended with ${server.exitCode}.`);
  process.env['TEST_POSTGRES_URL'] = url;
  return async () => {
    // Fast shutdown: https://www.postgresql.org/docs/current/server-shutdown.html
    server.kill('SIGINT');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
};
