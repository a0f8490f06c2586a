import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections, which could take one between the choice and its use. */
const FIRST = 10_000;
const BEHIND_LAST = 32_768;

const isUnused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

const taken = new Set<number>();

/** A port that is currently unused, and that this function has not returned before. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(FIRST, BEHIND_LAST);
  if (taken.has(port) || !(await isUnused(port))) return freePort();
  taken.add(port);
  return port;
};
