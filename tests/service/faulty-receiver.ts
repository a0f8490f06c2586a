import { createServer, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';

/** A sample as the calls of a webhook destination bring it. */
export type ReceivedSample = { device: string; ts: string; values: Record<string, unknown> };

type Call = { pipeline: { id: string; name: string }; samples: ReceivedSample[] };

/** How a destination fails for a while. `fine`: it does not fail. */
export type Misbehaviour = 'fine' | 'refuses' | 'hangs' | 'resets' | 'errs' | 'drips' | 'sips';

const dripAnswer = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 1_000_000 });
  const timer = setInterval(() => response.write('.'), 1_000);
  response.once('close', () => clearInterval(timer));
};

/** Reads a byte per second and never responds. */
const sip = (socket: Socket): void => {
  socket.pause().on('error', () => undefined);
  const timer = setInterval(() => socket.read(1), 1_000);
  socket.once('close', () => clearInterval(timer));
};

/**
 * A receiver of the calls of webhook destinations, behind a door that can misbehave as networks and servers do. It
 * keeps what it takes, and each call once, by its id.
 */
export const startFaultyReceiver = async () => {
  const seen = new Set<string>();
  const receiver = {
    url: '',
    how: 'fine' as Misbehaviour,
    /** The status for requests that are rejected, or undefined to accept them. */
    judge: (_samples: readonly ReceivedSample[]): number | undefined => undefined,
    samples: [] as ReceivedSample[],
    /** Number of attempted connections. */
    connections: 0,
    calls: 0,
    /** Of every request, accepted or not. */
    ids: new Set<string>(),
    paths: new Set<string>(),
    repeats: 0,
    close: async (): Promise<void> => undefined,
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => {
      parts.push(part);
      if (receiver.how === 'resets') request.socket.resetAndDestroy();
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      receiver.calls += 1;
      receiver.ids.add(String(request.headers['webhook-id']));
      receiver.paths.add(request.url ?? '');
      if (receiver.how === 'hangs') return;
      if (receiver.how === 'drips') return dripAnswer(response);
      if (receiver.how === 'errs') return void response.writeHead(503).end('Try later.');
      const { samples } = JSON.parse(Buffer.concat(parts).toString()) as Call;
      const refused = receiver.judge(samples);
      if (refused !== undefined) return void response.writeHead(refused).end('Not these.');
      const id = String(request.headers['webhook-id']);
      if (seen.has(id)) receiver.repeats += 1;
      else for (const sample of samples) receiver.samples.push(sample);
      seen.add(id);
      return void response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const inner = (server.address() as AddressInfo).port;
  const sockets = new Set<Socket>();
  const door = createTcpServer((socket) => {
    receiver.connections += 1;
    sockets.add(socket);
    if (receiver.how === 'refuses') return void socket.resetAndDestroy();
    if (receiver.how === 'sips') return sip(socket);
    const beyond = connect(inner, '127.0.0.1');
    for (const [here, there] of [
      [socket, beyond],
      [beyond, socket],
    ] as const) {
      sockets.add(here);
      here.on('error', () => undefined);
      here.once('close', () => {
        sockets.delete(here);
        there.destroy();
      });
    }
    socket.pipe(beyond).pipe(socket);
    return undefined;
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(door.address() as AddressInfo).port}/samples`;
  receiver.close = async () => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await Promise.all(
      [door, server].map((each) => new Promise<void>((resolve) => each.close(() => resolve()))),
    );
  };
  return receiver;
};
export type FaultyReceiver = Awaited<ReturnType<typeof startFaultyReceiver>>;
