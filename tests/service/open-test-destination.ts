import { createServer, type AddressInfo, type Socket } from 'node:net';
import { DeliveryFailure, type DestinationKind, type SpooledSample } from '#service/ingest/destination.ts';
import { createOutbound } from '#service/outbound/outbound.ts';

type Setting = {
  url?: string;
  options?: Record<string, unknown>;
  dataDir?: string;
  allowedNetworks?: string[];
  id?: string;
  now?: () => number;
};

/** A destination of that type with the guard of addresses before it, as the service opens it. */
export const openTestDestination = (kind: DestinationKind, setting: Setting = {}) => {
  const {
    url,
    options = {},
    dataDir = '',
    allowedNetworks = ['127.0.0.0/8'],
    id = 'dst_test',
    now,
  } = setting;
  const outbound = createOutbound({ allowedNetworks, ownPorts: () => [] });
  const open = kind.open({
    destination: { id, name: 'Test' },
    url,
    options,
    secret: null,
    outbound,
    dataDir,
    version: '0.0.0',
    now: now ?? Date.now,
  });
  let count = 0;
  return {
    deliver: (
      samples: SpooledSample[],
      { id: delivery = `del_${count++}`, signal = AbortSignal.timeout(20_000) } = {},
    ) => open.deliver({ id: delivery, pipeline: { id: 'pip_test', name: 'Test' }, samples }, signal),
    probe: (signal = AbortSignal.timeout(20_000)) => open.probe(signal),
    close: async () => {
      await open.close();
      await outbound.close();
    },
  };
};
export type TestDestination = ReturnType<typeof openTestDestination>;

/** How a delivery or probe failed: `kind: message`; fails itself where it did not, or by another error. */
export const failureOf = async (outcome: Promise<unknown>): Promise<string> => {
  try {
    await outcome;
  } catch (error) {
    if (error instanceof DeliveryFailure) return `${error.kind}: ${error.message}`;
    throw error;
  }
  throw new Error('It did not fail.');
};

/** A server that takes connections and says nothing, or what it is told; `open` counts who is still connected. */
export const startHangingServer = async (onConnection: (socket: Socket) => void = () => undefined) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('close', () => sockets.delete(socket))
      .resume();
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let taken = 0;
  server.on('connection', () => (taken += 1));
  return {
    port: (server.address() as AddressInfo).port,
    open: () => sockets.size,
    taken: () => taken,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};

/** Values of each kind that are easily changed on their way. */
export const TELLING_VALUES = {
  zero: 0,
  negativeZero: -0,
  integer: 42,
  safe: Number.MAX_SAFE_INTEGER,
  large: Number.MAX_VALUE,
  larger: 1e21,
  tiny: Number.MIN_VALUE,
  tenth: 0.1,
  third: -1 / 3,
  yes: true,
  no: false,
  plain: 'open',
  empty: '',
  quotes: `"both" 'kinds' \\ and \\" \\\\`,
  commas: 'a,b;c={d} e|f\\,g\\',
  lines: 'one\ntwo\r\nthree\n',
  emoji: '🔥 großÜ 日本',
  number: '12',
  truth: 'true',
  nothing: 'null',
};
