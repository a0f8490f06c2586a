import { createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService | undefined;
afterEach(() => service?.close());

const connection = async () => (await service!.request('GET', '/v1/connection')).body;

/** A port that nobody else has just now, held until it is let go. */
const holdPort = async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { port, release: () => new Promise((resolve) => server.close(resolve)) };
};

test('says where devices reach the API, and that the broker is off where it is', async () => {
  service = await startTestService();
  expect(await connection()).toEqual({ baseUrl: service.url, mqtt: null });
});

test('says on which port the broker listens', async () => {
  const { port, release } = await holdPort();
  await release();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  expect(await connection()).toEqual({ baseUrl: service.url, mqtt: { port } });
});

test('does not promise a port that another program has taken', async () => {
  const { port, release } = await holdPort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  expect((await connection()).mqtt).toBeNull();
  await release();
});
