import { createServer } from 'node:net';

/**
 * Below the ports of outgoing connections (from 32768), so that no connection takes it while its server is down.
 */
const [FROM, COUNT] = [20_000, 12_000];

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A port on which a server can be restarted repeatedly. */
export const lowPort = async (): Promise<number> => {
  for (;;) {
    const port = FROM + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
};
