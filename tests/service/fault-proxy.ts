import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * What becomes of the connections through it: `pass`; `hang` (taken, and nothing is passed on either way); `mute` (the
 * server gets everything, and its answers go nowhere); `drip` (its answers come a byte at a time); `reset` (cut as soon
 * as it answers).
 */
export type Fault = 'pass' | 'hang' | 'mute' | 'drip' | 'reset';

const DRIP_EVERY_MS = 100;

/** A proxy between a client and a server on loopback that injects faults, also into open connections. */
export const startFaultProxy = async (serverPort: number) => {
  const sockets = new Set<Socket>();
  const stranded = new WeakSet<Socket>();
  const strand = (socket: Socket): void => {
    stranded.add(socket);
    // A socket that is not read does not notice, and does not answer, that the other side ends.
    socket.pause();
  };
  const proxy = {
    port: 0,
    fault: 'pass' as Fault,
    open: () => sockets.size,
    /** Connections so far. */
    accepted: 0,
    /** Nothing passes through the open connections any more, not even their end. */
    strand: () => sockets.forEach(strand),
    /** Strands the next connection whose client sends this text. */
    strandAt: undefined as string | undefined,
    close: async (): Promise<void> => undefined,
  };
  const answerer = (client: Socket) => {
    let rest: Buffer = Buffer.alloc(0);
    const drip = setInterval(() => {
      if (rest.length > 0) client.write(rest.subarray(0, 1));
      rest = rest.subarray(1);
    }, DRIP_EVERY_MS);
    client.once('close', () => clearInterval(drip));
    return (chunk: Buffer) => {
      if (proxy.fault === 'drip' || rest.length > 0) rest = Buffer.concat([rest, chunk]);
      else if (proxy.fault === 'pass') client.write(chunk);
      else if (proxy.fault === 'reset') client.resetAndDestroy();
    };
  };
  const server = createServer((client) => {
    proxy.accepted += 1;
    const upstream = connect(serverPort, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        sockets.delete(one);
        if (!stranded.has(one)) other.destroy();
      });
    }
    client.on('data', (chunk) => {
      if (proxy.strandAt !== undefined && chunk.includes(proxy.strandAt)) {
        for (const socket of [client, upstream]) strand(socket);
        proxy.strandAt = undefined;
      }
      if (proxy.fault !== 'hang' && !stranded.has(client)) upstream.write(chunk);
    });
    const answer = answerer(client);
    upstream.on('data', (chunk) => {
      if (!stranded.has(upstream)) answer(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  proxy.port = (server.address() as AddressInfo).port;
  proxy.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return proxy;
};
