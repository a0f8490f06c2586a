import { createServer, type AddressInfo } from 'node:net';

const unused = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** The system may offer a port again, once it is closed. */
const taken = new Set<number>();

/** A port that is currently unused, and that this function has not returned before. */
export const freePort = async (): Promise<number> => {
  const port = await unused();
  if (taken.has(port)) return freePort();
  taken.add(port);
  return port;
};
