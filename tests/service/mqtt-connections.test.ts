import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const start = async (env: Record<string, string> = {}): Promise<{ service: TestService; port: number }> => {
  const port = await freePort();
  const service = await startTestService({
    env: { MQTT_PORT: String(port), ...env },
    // Longer than any test takes.
    timeouts: { handshakeMs: 120_000 },
  });
  return { service, port };
};

const connect = async (port: number, options: IClientOptions): Promise<MqttClient> => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, ...options });
  client.on('error', () => undefined);
  onTestFinished(() => client.endAsync(true).then(() => undefined));
  await new Promise<void>((resolve) => {
    client.once('connect', () => resolve());
  });
  return client;
};
const nextClose = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => {
    client.once('close', resolve);
  });

test('connections that never send CONNECT do not delay the stop', async () => {
  const { service, port } = await start();
  const socket = connectSocket(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await service.close();
  await closed;
});

const refusals = async (service: TestService) =>
  (await service.request('GET', '/v1/events?type=mqtt.refused')).body.data.map(
    ({ data }: { data: Record<string, unknown> }) => data,
  );

test('a message over the limit leaves one event with the client, the size and the limit', async () => {
  const { service, port } = await start();
  onTestFinished(() => service.close());
  const { secret } = await service.mintKey(['telemetry:write']);
  for (let attempt = 0; attempt < 3; attempt++) {
    const client = await connect(port, { username: 'camera-1', password: secret });
    const closed = nextClose(client);
    client.publish('v1/devices/me/telemetry', 'x'.repeat(300_000), { qos: 1 });
    await closed;
  }
  await expect.poll(() => refusals(service)).toHaveLength(1);
  expect(await refusals(service)).toMatchObject([
    {
      reason: 'message-too-large',
      detail: 'The packet has 300,031 bytes. The limit is 262,144 bytes (256 KiB).',
      username: 'camera-1',
      from: '127.0.0.1',
    },
  ]);
});

test('a CONNECT over the limit leaves an event', async () => {
  const { service, port } = await start();
  onTestFinished(() => service.close());
  const { secret } = await service.mintKey(['telemetry:write']);
  const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
    reconnectPeriod: 0,
    username: 'camera-1',
    password: secret,
    will: { topic: 'v1/devices/me/telemetry', payload: Buffer.alloc(20_000), qos: 1, retain: false },
  });
  client.on('error', () => undefined);
  await nextClose(client);
  await expect
    .poll(() => refusals(service))
    .toMatchObject([{ reason: 'connect-too-large', username: '', from: '127.0.0.1' }]);
});
