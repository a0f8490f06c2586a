import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '#service/config.ts';
import { startService } from '#service/start-service.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

const connection = async () => (await service!.request('GET', '/v1/connection')).body;

test('returns the URL of the API, and null for a disabled broker', async () => {
  service = await startTestService();
  expect(await connection()).toMatchObject({ baseUrl: service.url, mqtt: null });
});

test('returns how many devices a key can register in an hour', async () => {
  service = await startTestService({ env: { REGISTRATION_LIMIT: '25' } });
  expect(await connection()).toMatchObject({ registrationLimit: 25 });
});

test('returns the port of the broker', async () => {
  const port = await freePort();
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  expect(await connection()).toMatchObject({ baseUrl: service.url, mqtt: { port, tls: false } });
});

test('reports TLS if only the TLS port is open', async () => {
  const port = await freePort();
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-connection-'));
  const file = (name: string) => join(import.meta.dirname, name);
  const env = {
    PORT: '0',
    MQTT_PORT: '0',
    MQTTS_PORT: String(port),
    TLS_CERT: file('test-cert.pem'),
    TLS_KEY: file('test-key.pem'),
    DATA_DIR: dataDir,
  };
  const { parts, close } = await startService({ config: readConfig(env), log: pino({ level: 'silent' }) });
  onTestFinished(async () => {
    await close();
    rmSync(dataDir, { recursive: true });
  });
  expect(parts.pipelines.mqtt()).toEqual({ port, tls: true });
});

test('omits a port that another program uses', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  service = await startTestService({ env: { MQTT_PORT: String(port) } });
  expect((await connection()).mqtt).toBeNull();
});
