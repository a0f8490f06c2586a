import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKeysApi } from '#contract/api-keys.ts';
import { endpoints } from '#contract/endpoints.ts';
import { fillPath } from '#contract/endpoint.ts';
import { scopes } from '#contract/scope.ts';
import { makeSigninLink } from '#service/access/signin-link.ts';
import { mintToken } from '#service/access/token.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PASSWORD = 'canary-of-a-password';

let test: TestService;
let mqttPort: number;
const logged: string[] = [];
const secrets = new Map<string, string>();
beforeAll(async () => {
  mqttPort = await freePort();
  const logTo = { write: (line: string) => void logged.push(line) };
  test = await startTestService({ logTo, env: { MQTT_PORT: String(mqttPort) } });
  secrets.set('the session', test.token);
});
afterAll(() => test.close());

const connect = async (
  username: string,
  password: string,
  clientId = 'c',
  topic = 'v1/devices/me/telemetry',
) => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
    username,
    password,
    clientId,
    reconnectPeriod: 0,
  });
  client.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    client.once('close', () => resolve());
    client.once('connect', () => client.publish(topic, '{"temp": 21}', { qos: 1 }, () => resolve()));
  });
  await client.endAsync(true);
};

it('every secret is used, correctly and in wrong places', async () => {
  const key = await test.mintKey([...scopes]);
  const rotated = await test.request('POST', `/v1/api-keys/${key.id}/rotate`, { body: {} });
  secrets.set('a key', key.secret).set('a rotated key', rotated.body.secret);
  const link = await makeSigninLink(test.service.parts.db, test.url, Date.now());
  secrets.set('a sign-in link', link.slice(link.indexOf('=') + 1));
  secrets.set('an unknown key', mintToken('key').token);
  for (const [name, token] of Array.from(secrets)) {
    const opened = await test.request('POST', '/v1/sessions', { token: null, body: { token } });
    if (opened.body.token !== undefined) secrets.set(`a session opened by ${name}`, opened.body.token);
  }
  const createWebhook = (url: string) =>
    test.request('POST', '/v1/webhooks', { body: { name: 'On-call', url, events: ['device.offline'] } });
  const refused = await createWebhook(`https://operator:${PASSWORD}@hooks.example.com/${PASSWORD}`);
  expect(refused.status).toBe(422);
  const webhook = await createWebhook('https://hooks.example.com/penstock');
  const signed = await test.request('POST', `/v1/webhooks/${webhook.body.id}/rotate`, { body: {} });
  secrets
    .set('the old secret of a webhook', webhook.body.secret)
    .set('the secret of a webhook', signed.body.secret);
  for (const [name, config] of [
    ['Kept', { url: 'mqtt://broker.invalid', username: 'operator', password: PASSWORD }],
    ['In the address', { url: `mqtt://operator:${PASSWORD}@broker.invalid` }],
    ['Misspelt', { url: 'mqtt://broker.invalid', Password: PASSWORD }],
  ] as const)
    await test.request('POST', '/v1/pipelines', {
      body: { name, type: 'mqtt', interval: 5, destination: 'telemetry', config },
      headers: { 'idempotency-key': name },
    });
  for (const [name, fields] of [
    ['Both', { url: `mqtt://operator:${PASSWORD}@broker.invalid`, options: { password: PASSWORD } }],
    ['Misspelt', { url: 'mqtt://broker.invalid', options: { Password: PASSWORD } }],
    ['Nowhere', { url: `mqtt://operator:${PASSWORD}@10.0.0.1` }],
  ] as const) {
    const { body } = await test.request('POST', '/v1/destinations', {
      body: { name, type: 'mqtt', ...fields },
      headers: { 'idempotency-key': `to ${name}` },
    });
    if (body.id !== undefined) await test.request('POST', `/v1/destinations/${body.id}/test`);
  }
  for (const token of secrets.values()) {
    for (const headers of [
      { authorization: token },
      { authorization: `Basic ${Buffer.from(`me:${token}`).toString('base64')}` },
      { authorization: `Bearer ${token}x` },
      { 'x-api-key': token, cookie: `session=${token}`, referer: `${test.url}/#signin=${token}` },
      { 'last-event-id': token, 'if-match': token, 'content-type': token },
    ])
      await test.request('PATCH', '/v1/session', { token: null, headers, body: { label: 'x' } });
    const wrongly = (path: string) => test.request('GET', path, { headers: {} });
    await wrongly(`/v1/devices?token=${token}`);
    await wrongly(`/v1/devices/${token}`);
    await wrongly(`/v1/telemetry?from=${token}`);
    await wrongly(`/v1/%ff${token}`);
    await test.request('POST', '/v1/sessions', { token: null, body: `{"token": "${token}` });
    await test.request('POST', '/v1/sessions', { token: null, body: { token, password: token } });
    await connect('boiler-7', token);
    await connect(token, '');
    await connect('boiler-7', key.secret, token, `v1/devices/boiler-7/${token}`);
  }
  // Whatever breaks below a handler is logged whole.
  const { telemetry } = test.service.parts;
  const { stats } = telemetry;
  telemetry.stats = () => Promise.reject(new Error('the store broke'));
  expect((await test.request('GET', '/v1/overview')).status).toBe(500);
  telemetry.stats = stats;
});

const expectNone = (where: string, text: string) => {
  for (const [name, secret] of [...secrets, ['a password', PASSWORD]])
    // A stretch of it would be as bad as the whole.
    expect(text.includes(secret!.slice(-30)), `${name} in ${where}`).toBe(false);
};

it('appears in no log line', () => {
  expect(logged.some((line) => line.includes('the store broke'))).toBe(true);
  for (const line of logged) expectNone(line, line);
});

it('appears in no event and no response to a read', async () => {
  const events = await test.request('GET', '/v1/events?limit=200');
  expect(events.body.data.map(({ type }: { type: string }) => type)).toEqual(
    expect.arrayContaining(['session.refused', 'mqtt.refused', 'api-key.rotated']),
  );
  const lists = endpoints.filter(({ method, path }) => method === 'GET' && !/\{|stream|latest/.test(path));
  for (const { path } of lists) {
    const { body } = await test.request('GET', path);
    expectNone(path, JSON.stringify(body));
    const one = endpoints.find((each) => each.method === 'GET' && each.path === `${path}/{id}`);
    for (const { id } of (one === undefined ? [] : body.data) as { id: string }[])
      expectNone(path, JSON.stringify((await test.request('GET', fillPath(one!.path, { id }))).body));
  }
});

it('appears in no repeated creation', async () => {
  const headers = { 'idempotency-key': 'again' };
  const body = { name: 'Once', scopes: ['devices:read'] };
  const first = await test.request('POST', apiKeysApi.create.path, { body, headers });
  const again = await test.request('POST', apiKeysApi.create.path, { body, headers });
  expect([again.status, again.body.id, again.body.secret]).toEqual([201, first.body.id, null]);
});
