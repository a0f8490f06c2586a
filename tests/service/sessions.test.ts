import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sessionsApi } from '#contract/sessions.ts';
import { makeSigninLink } from '#service/access/signin-link.ts';
import { mintToken } from '#service/access/token.ts';
import { createAsker } from './access-matrix.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const HOUR_MS = 3_600_000;

let clockMs = Date.now();
let test: TestService;
let asker: Awaited<ReturnType<typeof createAsker>>;
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
  asker = await createAsker(test);
});
afterAll(async () => {
  await asker.close();
  await test.close();
});

const linkToken = async (): Promise<string> => {
  const link = await makeSigninLink(test.service.parts.db, test.url, clockMs);
  return link.slice(link.indexOf('=') + 1);
};
const open = (token: string, remember = false) =>
  test.request('POST', '/v1/sessions', { token: null, body: { token, remember } });
/** From another address each time: wrong tokens are limited for each. */
const whoAmI = (token: string) => asker.ask(sessionsApi.get, { token });

describe('a session', () => {
  it('can be opened with a sign-in link only once', async () => {
    const token = await linkToken();
    expect((await open(token)).status).toBe(201);
    const { status, body } = await open(token);
    expect([status, body.code]).toEqual([401, 'token-expired']);
  });

  it('cannot be opened with a link that is older than ten minutes', async () => {
    const token = await linkToken();
    clockMs += 600_001;
    const { body } = await open(token);
    clockMs -= 600_001;
    expect(body.code).toBe('token-expired');
  });

  it.each([
    ['ends after twelve idle hours', false, [11, 12], 'token-expired'],
    ['goes on while it is used within twelve hours', false, [11, 11, 11, 11, 11, 11], undefined],
    [
      'ends after seven days, however much it is used',
      false,
      Array.from({ length: 16 }, () => 11),
      'token-expired',
    ],
    ['that is remembered goes on after idle weeks', true, [29 * 24], undefined],
    ['that is remembered ends after thirty days', true, [24, 28 * 24, 24], 'token-expired'],
  ] as const)('%s', async (_, remember, pauses, code) => {
    const startMs = clockMs;
    const { body: session } = await open(await linkToken(), remember);
    let last;
    for (const hours of pauses) {
      expect(last?.code).toBeUndefined();
      clockMs += hours * HOUR_MS;
      last = (await whoAmI(session.token)).body;
    }
    clockMs = startMs;
    expect(last.code).toBe(code);
  });

  it('ends with the key that opened it', async () => {
    const expiresAt = new Date(clockMs + HOUR_MS).toISOString();
    const { secret } = await test.mintKey(['devices:read'], { expiresAt });
    expect((await open(secret, true)).body.expiresAt).toBe(expiresAt);
  });

  it('appears in events with its label', async () => {
    const { body: session } = await open(await linkToken());
    await test.request('PATCH', '/v1/session', { token: session.token, body: { label: 'Ada' } });
    const { body: device } = await test.request('POST', '/v1/devices', {
      token: session.token,
      body: { name: 'By Ada' },
    });
    const { body: events } = await test.request('GET', `/v1/events?subject=${device.id}`);
    expect(events.data[0]).toMatchObject({ type: 'device.registered', actor: { name: 'Ada' } });
  });

  it('ends when it signs out', async () => {
    const { body: session } = await open(await linkToken());
    expect((await test.request('DELETE', '/v1/session', { token: session.token })).status).toBe(204);
    expect((await whoAmI(session.token)).body.code).toBe('token-invalid');
  });

  it('survives a restart of the service', async () => {
    const { body: session } = await open(await linkToken());
    await test.restart();
    expect((await test.request('GET', '/v1/session', { token: session.token })).status).toBe(200);
  });
});

it('repeated failures record at most ten events', async () => {
  const fresh = await startTestService();
  onTestFinished(() => fresh.close());
  const { id, secret } = await fresh.mintKey(['devices:read']);
  await fresh.request('DELETE', `/v1/api-keys/${id}`);
  for (let count = 0; count < 15; count++) {
    const { status, body } = await fresh.request('POST', '/v1/sessions', {
      token: null,
      body: { token: secret },
    });
    expect([status, body.code]).toEqual([401, 'token-revoked']);
  }
  const { body } = await fresh.request('GET', '/v1/events?type=session.refused&limit=200');
  expect(body.data).toHaveLength(10);
});

describe('guessing', () => {
  it('is limited per address, over HTTP and MQTT together, while valid tokens pass', async () => {
    const mqttPort = await freePort();
    const guesser = await startTestService({ env: { MQTT_PORT: String(mqttPort) } });
    onTestFinished(() => guesser.close());
    const { secret } = await guesser.mintKey(['telemetry:write']);
    const guess = (token: string) => guesser.request('GET', '/v1/session', { token });
    const guessOverMqtt = (password: string): Promise<number> =>
      new Promise((resolve) => {
        const client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
          username: 'a',
          password,
          reconnectPeriod: 0,
        });
        client.on('connect', () => client.end(true, () => resolve(0)));
        client.on('error', (error) => resolve('code' in error ? Number(error.code) : Number.NaN));
      });
    for (let count = 0; count < 5; count++) {
      expect((await guess(mintToken('key').token)).status).toBe(401);
      // CONNACK 4: bad user name or password (MQTT 3.1.1, 3.2.2.3).
      expect(await guessOverMqtt(mintToken('key').token)).toBe(4);
    }
    const { status, body, headers } = await guess('pen_key_nonsense');
    expect([status, body.code]).toEqual([429, 'quota-exceeded']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const open = { token: null, body: { token: mintToken('signin').token } };
    expect((await guesser.request('POST', '/v1/sessions', open)).status).toBe(429);
    // A token that was valid once is not a guess: its holder learns that it was revoked.
    const revoked = await guesser.mintKey(['devices:read']);
    await guesser.request('DELETE', `/v1/api-keys/${revoked.id}`);
    const dead = await guess(revoked.secret);
    expect([dead.status, dead.body.code]).toEqual([401, 'token-revoked']);
    const used = await guesser.request('POST', '/v1/sessions', {
      token: null,
      body: { token: (guesser.service.signinLink ?? '').split('=')[1] },
    });
    expect([used.status, used.body.code]).toEqual([401, 'token-expired']);
    await guessOverMqtt(mintToken('key').token);
    // The event of a refusal is recorded while the connection closes, not before.
    await expect
      .poll(async () => {
        const { body } = await guesser.request('GET', '/v1/events?type=mqtt.refused');
        return body.data.map(({ data }: { data: { reason: string } }) => data.reason);
      })
      .toContain('quota-exceeded');
    expect((await guess(guesser.token)).status).toBe(200);
    expect((await guess(secret)).status).toBe(200);
    expect(await guessOverMqtt(secret)).toBe(0);
  });
});
