import { randomInt } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Below the ports that systems give to outgoing connections, which could take one between the choice and its use. */
const FIRST = 10_000;
const BEHIND_LAST = 32_768;

const isUnused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** No test runs longer. */
const RESERVED_MS = 15 * 60_000;

/** Reserves a port among the processes that run tests: another one could choose it before it is used. */
const reserve = (port: number): boolean => {
  const file = join(tmpdir(), `penstock-port-${port}`);
  const atMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (atMs > Date.now() - RESERVED_MS) return false;
  rmSync(file, { force: true });
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch {
    return false;
  }
};

/** A port that is currently unused, and that no running test has. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(FIRST, BEHIND_LAST);
  return reserve(port) && (await isUnused(port)) ? port : freePort();
};
