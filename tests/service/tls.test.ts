import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, readConfig } from '#service/config.ts';
import { startService } from '#service/start-service.ts';
import { freePort } from './free-port.ts';

const TLS_CERT = join(import.meta.dirname, 'test-cert.pem');
const TLS_KEY = join(import.meta.dirname, 'test-key.pem');
const ca = readFileSync(TLS_CERT);

/** Asks over TLS, trusting the certificate of these tests alone. */
const ask = (url: string, { method = 'GET', body = '', headers = {} } = {}) =>
  new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const call = request(url, { ca, method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    call.on('error', reject);
    call.end(body);
  });

describe('with a certificate', () => {
  it('the service answers over HTTPS and the broker over TLS, with and without WebSocket', async () => {
    const mqttsPort = await freePort();
    const dataDir = mkdtempSync(join(tmpdir(), 'penstock-tls-'));
    const env = {
      PORT: '0',
      MQTT_PORT: '0',
      MQTTS_PORT: String(mqttsPort),
      TLS_CERT,
      TLS_KEY,
      DATA_DIR: dataDir,
    };
    const test = await startService({ config: readConfig(env), log: pino({ level: 'silent' }) });
    onTestFinished(async () => {
      await test.close();
      rmSync(dataDir, { recursive: true });
    });
    expect(test.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await ask(`${test.url}/v1/health`)).toEqual({
      status: 200,
      text: expect.stringContaining('"status":"ok"'),
    });

    const link = test.signinLink ?? '';
    const json = { 'content-type': 'application/json' };
    const session = await ask(`${test.url}/v1/sessions`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ token: link.slice(link.indexOf('=') + 1) }),
    });
    const { token } = JSON.parse(session.text) as { token: string };
    const headers = { ...json, authorization: `Bearer ${token}` };
    const key = await ask(`${test.url}/v1/api-keys`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'Boiler', scopes: ['telemetry:write'] }),
    });
    const { secret } = JSON.parse(key.text) as { secret: string };
    for (const url of [`mqtts://127.0.0.1:${mqttsPort}`, `${test.url.replace('https', 'wss')}/mqtt`]) {
      const client = await mqtt.connectAsync(url, { ca, username: 'boiler-7', password: secret });
      await client.publishAsync('v1/devices/boiler-7/telemetry', '{"temp":71}', { qos: 1 });
      await client.endAsync();
    }
    expect((await ask(`${test.url}/v1/devices?q=boiler-7`, { headers })).text).toContain(
      '"externalId":"boiler-7"',
    );
  });
});

describe('a variable that cannot be used with TLS is named in the error', () => {
  const refusal = (env: Record<string, string>): string => {
    try {
      readConfig(env);
    } catch (error) {
      if (error instanceof ConfigError) return error.message;
    }
    return 'taken';
  };

  it('only one of TLS_CERT and TLS_KEY', () => {
    expect(refusal({ TLS_CERT })).toMatch(/^TLS_CERT is set but TLS_KEY is not/);
  });
  it('a missing file', () => {
    expect(refusal({ TLS_CERT: '/nowhere.pem', TLS_KEY })).toMatch(
      /^TLS_CERT must be a path to .* \(it is "\/nowhere\.pem"\)/,
    );
  });
  it('an http BASE_URL, whose links would lead nowhere', () => {
    const BASE_URL = 'http://penstock.example.com:8443';
    expect(refusal({ TLS_CERT, TLS_KEY, BASE_URL })).toBe(
      `BASE_URL must be an https URL if TLS_CERT is set (it is "${BASE_URL}"): Penstock then answers over HTTPS only.`,
    );
    expect(refusal({ TLS_CERT, TLS_KEY, BASE_URL: BASE_URL.replace('http', 'https') })).toBe('taken');
    expect(refusal({ BASE_URL })).toBe('taken');
  });
  it('a file that is not a certificate', () => {
    const path = join(tmpdir(), `penstock-no-certificate-${process.pid}.pem`);
    writeFileSync(path, 'nonsense');
    expect(refusal({ TLS_CERT: path, TLS_KEY })).toMatch(
      /^TLS_CERT and TLS_KEY must be a certificate chain and its private key/,
    );
  });
});
