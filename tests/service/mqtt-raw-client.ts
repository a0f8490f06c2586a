import { once } from 'node:events';
import { connect } from 'node:net';
import { generate, parser, type IConnectPacket, type Packet } from 'mqtt-packet';

/** A client that sends any packet, also those that client libraries do not, and receives packets without acknowledging them. */
export const rawClient = async (port: number, protocolVersion: 4 | 5 = 5) => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const received: Packet[] = [];
  const waiting: ((packet: Packet | 'closed') => void)[] = [];
  let isClosed = false;
  const reader = parser({ protocolVersion });
  reader.on('packet', (packet) => {
    const next = waiting.shift();
    if (next === undefined) received.push(packet);
    else next(packet);
  });
  socket.on('data', (chunk: Buffer) => reader.parse(chunk));
  socket.once('close', () => {
    isClosed = true;
    for (const each of waiting) each('closed');
  });
  const client = {
    socket,
    send: (packet: Packet | Buffer): void =>
      void socket.write(Buffer.isBuffer(packet) ? packet : generate(packet, { protocolVersion })),
    /** The next packet, or `closed`. */
    next: (): Promise<Packet | 'closed'> =>
      new Promise((resolve) => {
        const packet = received.shift();
        if (packet !== undefined) resolve(packet);
        else if (isClosed) resolve('closed');
        else waiting.push(resolve);
      }),
    connect: async (more: Partial<IConnectPacket>): Promise<Packet | 'closed'> => {
      client.send({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion,
        clientId: 'raw',
        clean: true,
        keepalive: 60,
        ...more,
      });
      return client.next();
    },
  };
  return client;
};
