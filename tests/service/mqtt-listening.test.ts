import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '#service/config.ts';
import { listenForMqtt, type BrokerStatus } from '#service/mqtt/listen-for-mqtt.ts';
import { freePort } from './free-port.ts';

const pem = (name: string) => readFileSync(join(import.meta.dirname, `test-${name}.pem`), 'utf8');
const listenWithTls = (port: number) => ({
  ...readConfig({ HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0', MQTTS_PORT: String(port) }),
  tls: { cert: pem('cert'), key: pem('key') },
});

test('a listening port survives errors of its server and stays reported as open', async () => {
  const port = await freePort();
  const statuses: BrokerStatus[] = [];
  const accepted: Socket[] = [];
  const listener = await listenForMqtt({
    handshakeMs: 10_000,
    listen: readConfig({ HOST: '127.0.0.1', PORT: '0', MQTT_PORT: String(port) }),
    log: pino({ level: 'silent' }),
    onConnection: (socket) => accepted.push(socket),
    onStatus: (status) => statuses.push(status),
  });
  onTestFinished(() => listener.close());
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const before = accepted.length;
    await once(socket, 'connect');
    await expect.poll(() => accepted.length).toBe(before + 1);
  };

  await open();
  // Node says so where the process has too many open files; its server listens on.
  const { server } = accepted[0] as unknown as { server: Server };
  for (let time = 0; time < 2; time++) server.emit('error', new Error('accept EMFILE'));
  await open();
  expect(statuses).toEqual([{ port, detail: undefined, isTls: false }]);
});

test('a broker that listens only with TLS is not reported as disabled meanwhile', async () => {
  const port = await freePort();
  const statuses: BrokerStatus[] = [];
  const listener = await listenForMqtt({
    handshakeMs: 10_000,
    listen: listenWithTls(port),
    log: pino({ level: 'silent' }),
    onConnection: () => undefined,
    onStatus: (status) => statuses.push(status),
  });
  onTestFinished(() => listener.close());
  expect(statuses).toEqual([{ port, detail: undefined, isTls: true }]);
});

test('a port with TLS closes at once, including connections that never begin the handshake', async () => {
  const port = await freePort();
  const listener = await listenForMqtt({
    handshakeMs: 120_000,
    listen: listenWithTls(port),
    log: pino({ level: 'silent' }),
    onConnection: () => undefined,
    onStatus: () => undefined,
  });
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await listener.close();
  await closed;
});
