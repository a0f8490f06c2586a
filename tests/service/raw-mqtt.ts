import { connect, type Socket } from 'node:net';

const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
};

/** A packet of MQTT 3.1.1 with fewer than 16,384 bytes after its fixed header. */
const packet = (type: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [(body.length & 0x7f) | 0x80, body.length >> 7];
  return Buffer.concat([Buffer.from([type, ...length]), body]);
};

const nextBytes = (socket: Socket): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    socket.once('data', resolve);
    socket.once('close', () => reject(new Error('The broker closed the connection.')));
  });

/**
 * Connects, publishes one message with QoS 1, and resolves after its PUBACK. Without a client library: that does not
 * run in a simulated browser, and sends no invalid packets.
 * @throws if the broker closes the connection
 */
export const publishRaw = async (
  { port, username, password }: { port: number; username: string; password: string },
  topic: string,
  payload: string | Uint8Array,
): Promise<void> => {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  // 3.1.2.3: clean session, with a username and a password.
  const flags = Buffer.from([4, 0xc2, 0, 0]);
  socket.write(packet(0x10, text('MQTT'), flags, text(`raw-${username}`), text(username), text(password)));
  await nextBytes(socket);
  socket.write(packet(0x32, text(topic), Buffer.from([0, 1]), Buffer.from(payload)));
  const answer = await nextBytes(socket);
  if (answer[0] !== 0x40) throw new Error(`Expected PUBACK, received ${answer.toString('hex')}.`);
  socket.end(packet(0xe0));
};
