import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, readConfig } from '#service/config.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const SECRET = 'canary-in-the-environment';
const REFERENCE = '${env:PENSTOCK_METER}';
const ELSEWHERE = '${env:PENSTOCK_ELSEWHERE}';
const UNBOUND = '${env:PENSTOCK_UNBOUND}';

let test: TestService;
let meter: Server;
let url: string;
let port: number;
const received: IncomingHttpHeaders[] = [];
const secretsReceived = () => received.filter((headers) => JSON.stringify(headers).includes(SECRET));

beforeAll(async () => {
  meter = createServer((request, response) => {
    received.push(request.headers);
    response.setHeader('content-type', 'application/json');
    response.end('{"power":5}');
  });
  await new Promise<void>((resolve) => meter.listen(0, '127.0.0.1', resolve));
  port = (meter.address() as AddressInfo).port;
  url = `http://127.0.0.1:${port}/`;
  test = await startTestService({
    env: {
      ALLOWED_NETWORKS: '127.0.0.0/8',
      PENSTOCK_METER: SECRET,
      PENSTOCK_METER_HOSTS: `127.0.0.1:${port}, Broker.Example.com`,
      PENSTOCK_ELSEWHERE: SECRET,
      PENSTOCK_ELSEWHERE_HOSTS: `meter.example.com,127.0.0.1:${port + 1}`,
      PENSTOCK_UNBOUND: SECRET,
    },
  });
});
afterAll(async () => {
  await test.close();
  meter.close();
});

/** Long enough for a busy machine. */
const PATIENT = { timeout: 20_000 };
let made = 0;
const bodyOf = (type: string, config: Record<string, unknown>, more = {}) => ({
  name: `Pipeline ${++made}`,
  type,
  interval: 3_600,
  destination: 'telemetry',
  config,
  ...more,
});
const create = (type: string, config: Record<string, unknown>, more = {}) =>
  test.request('POST', '/v1/pipelines', { body: bodyOf(type, config, more) });

const unlisted = (pointer: string, name: string, host: string) => [
  {
    pointer,
    code: 'invalid-reference',
    detail: `${name} cannot be sent to ${host}. Add this host to ${name}_HOSTS and restart Penstock.`,
  },
];
const unbound = (pointer: string) => [
  {
    pointer,
    code: 'invalid-reference',
    detail:
      'PENSTOCK_UNBOUND has no list of allowed hosts. List the hosts that may receive it in PENSTOCK_UNBOUND_HOSTS and restart Penstock.',
  },
];

describe('a variable of the environment goes only to the hosts of its …_HOSTS', () => {
  it('in a header of a polled address', async () => {
    const { status } = await create('http-poll', { url, headers: { Authorization: `Bearer ${REFERENCE}` } });
    expect(status).toBe(201);
    await expect.poll(() => secretsReceived().length, PATIENT).toBeGreaterThan(0);
    expect(secretsReceived()[0]?.authorization).toBe(`Bearer ${SECRET}`);
  });

  it.each([
    ['http-poll', { headers: { 'X-Key': ELSEWHERE } }, '/config/headers/X-Key'],
    ['http-poll', { headers: { Cookie: `session=${ELSEWHERE}` } }, '/config/headers/Cookie'],
    ['mqtt', { username: 'me', password: ELSEWHERE }, '/config/password'],
    ['nats', { subject: 'a', token: ELSEWHERE }, '/config/token'],
  ])('a pipeline of type %s with another host is refused at the field', async (type, config, pointer) => {
    const at = type === 'http-poll' ? url : `${type}://127.0.0.1:${port}`;
    const before = received.length;
    const refused = await create(type, { url: at, ...config });
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      unlisted(pointer, 'PENSTOCK_ELSEWHERE', `127.0.0.1:${port}`),
    ]);
    expect(JSON.stringify(refused.body)).not.toContain(SECRET);
    const tried = await test.request('POST', '/v1/pipelines/test', {
      body: bodyOf(type, { url: at, ...config }),
    });
    expect([tried.body.ok, tried.body.steps.length, tried.body.problems]).toEqual([
      false,
      1,
      [expect.objectContaining({ pointer, detail: expect.stringContaining('PENSTOCK_ELSEWHERE_HOSTS') })],
    ]);
    expect(received.length).toBe(before);
  });

  it.each([
    ['influxdb', { url: 'http', options: { database: 'd', token: ELSEWHERE } }, '/options/token'],
    ['webhook', { url: 'http', options: { headers: { 'X-Key': ELSEWHERE } } }, '/options/headers/X-Key'],
    ['postgres', { url: 'postgres', options: { username: 'me', password: ELSEWHERE } }, '/options/password'],
    ['mqtt', { url: 'mqtt', options: { password: ELSEWHERE } }, '/options/password'],
    ['mqtt', { url: `mqtt://me:${ELSEWHERE}@`, options: {} }, '/url'],
    ['nats', { url: 'nats', options: { token: ELSEWHERE } }, '/options/token'],
  ])(
    'a destination of type %s with another host is refused at the field',
    async (type, { url: start, options }, pointer) => {
      const address = `${start.includes(':') ? start : `${start}://`}127.0.0.1:${port}/plant`;
      const { status, body } = await test.request('POST', '/v1/destinations', {
        body: { name: `Destination ${++made}`, type, url: address, options },
      });
      expect([status, body.errors]).toEqual([
        422,
        unlisted(pointer, 'PENSTOCK_ELSEWHERE', `127.0.0.1:${port}`),
      ]);
    },
  );

  it('without a list, it is sent nowhere', async () => {
    const refused = await create('mqtt', { url: 'mqtts://broker.example.com', password: UNBOUND });
    expect([refused.status, refused.body.errors]).toEqual([422, unbound('/config/password')]);
    const { status, body } = await test.request('POST', '/v1/destinations', {
      body: { name: 'Hook', type: 'webhook', url, options: { headers: { 'X-Key': UNBOUND } } },
    });
    expect([status, body.errors]).toEqual([422, unbound('/options/headers/X-Key')]);
  });

  it('hosts are compared ignoring case, and with the port if the list names one', async () => {
    for (const [address, status] of [
      ['mqtts://BROKER.example.COM', 201],
      ['mqtt://broker.example.com.:1999', 201],
      ['mqtt://%62roker.example.com', 201],
      ['mqtt://broker.example.com.evil.example', 422],
      ['mqtt://evil-broker.example.com', 422],
      [`mqtt://0x7f.1:${port}`, 201],
      [`mqtt://127.0.0.1:${port + 1}`, 422],
      ['mqtt://127.0.0.1', 422],
      [`mqtt://broker.example.com@127.0.0.2:${port}`, 422],
      ['mqtt://${env:PENSTOCK_ELSEWHERE}', 422],
    ] as const) {
      const answer = await create('mqtt', { url: address, password: REFERENCE }, { enabled: false });
      const isAccepted = answer.status === 201 && answer.body.state !== 'draft';
      expect([address, isAccepted ? 201 : 422]).toEqual([address, status]);
    }
  });

  it('a change of the address sends no variable to a host that is not listed', async () => {
    const { body } = await create(
      'mqtt',
      { url: 'mqtts://broker.example.com', password: REFERENCE },
      { enabled: false },
    );
    const change = (sent: Record<string, unknown>) =>
      test.request('PATCH', `/v1/pipelines/${body.id}`, { body: sent });
    const moved = await change({ config: { url: 'mqtts://evil.example.com' } });
    expect([moved.status, moved.body.errors]).toEqual([
      422,
      unlisted('/config/password', 'PENSTOCK_METER', 'evil.example.com:8883'),
    ]);
    expect((await change({ config: { password: ELSEWHERE } })).status).toBe(422);
    expect((await change({ name: `Renamed ${made}` })).status).toBe(200);
    const preview = await test.request('POST', `/v1/pipelines/${body.id}/rejections/preview`, {
      body: { all: true, change: { config: { url: 'mqtts://evil.example.com' } } },
    });
    expect(preview.body.errors).toEqual([expect.objectContaining({ pointer: '/change/config/password' })]);

    const destination = await test.request('POST', '/v1/destinations', {
      body: {
        name: 'Broker',
        type: 'mqtt',
        url: 'mqtts://broker.example.com',
        options: { password: REFERENCE },
      },
    });
    expect(destination.status).toBe(201);
    const elsewhere = await test.request('PATCH', `/v1/destinations/${destination.body.id}`, {
      body: { url: 'mqtts://evil.example.com' },
    });
    expect([elsewhere.status, elsewhere.body.errors]).toEqual([
      422,
      unlisted('/options/password', 'PENSTOCK_METER', 'evil.example.com:8883'),
    ]);
  });

  it('a config cannot refer to a list of hosts', async () => {
    const { body } = await create('mqtt', {
      url: 'mqtts://broker.example.com',
      password: '${env:PENSTOCK_METER_HOSTS}',
    });
    expect(body.problems).toEqual([
      {
        pointer: '/config/password',
        detail: expect.stringContaining('PENSTOCK_METER_HOSTS cannot be used here'),
      },
    ]);
  });
});

it('a pipeline or destination whose variable lost its hosts fails at the next start and says why', async () => {
  const { PENSTOCK_METER_HOSTS: hosts = '' } = test.service.parts.config.environment;
  const env = test.service.parts.config.environment as Record<string, string>;
  const pipeline = await create('http-poll', { url, headers: { 'X-Key': REFERENCE } });
  const destination = await test.request('POST', '/v1/destinations', {
    body: { name: 'Meter', type: 'webhook', url, options: { headers: { 'X-Key': REFERENCE } } },
  });
  const feed = await create('http', { device: 'meter-1' }, { destination: 'Meter', interval: 1 });
  expect([pipeline.status, destination.status, feed.status]).toEqual([201, 201, 201]);
  await expect
    .poll(async () => (await read('pipelines', pipeline.body.id)).lastMessageAt, PATIENT)
    .not.toBeNull();

  // The environment of an operator who upgrades: the variable, and no list yet.
  await test.restart(() => void delete env['PENSTOCK_METER_HOSTS']);
  onTestFinished(() => test.restart(() => void (env['PENSTOCK_METER_HOSTS'] = hosts)));
  received.length = 0;
  const sentence = expect.stringContaining('List the hosts that may receive it in PENSTOCK_METER_HOSTS');
  expect(await read('pipelines', pipeline.body.id)).toMatchObject({
    state: 'draft',
    problems: [{ pointer: '/config/headers/X-Key', detail: sentence }],
  });
  expect(await read('destinations', destination.body.id)).toMatchObject({
    state: 'blocked',
    lastError: { detail: sentence },
  });
  // It can still be paused and renamed, and its messages wait.
  const paused = await test.request('PATCH', `/v1/pipelines/${pipeline.body.id}`, {
    body: { enabled: false },
  });
  expect(paused.status).toBe(200);
  const renamed = await test.request('PATCH', `/v1/destinations/${destination.body.id}`, {
    body: { name: 'Meter 2' },
  });
  expect([renamed.status, renamed.body.state]).toEqual([200, 'blocked']);
  const sent = await test.request('POST', `/v1/pipelines/${feed.body.id}/messages`, { body: { power: 1 } });
  expect(sent.status).toBe(202);
  await expect.poll(async () => (await read('pipelines', feed.body.id)).state, PATIENT).toBe('failed');
  expect((await read('pipelines', feed.body.id)).ledger).toMatchObject({ delivered: 0, pending: 1 });
  expect(secretsReceived()).toEqual([]);

  await test.restart(() => void (env['PENSTOCK_METER_HOSTS'] = hosts));
  expect(await read('destinations', destination.body.id)).toMatchObject({ state: 'healthy' });
  await expect.poll(async () => (await read('pipelines', feed.body.id)).ledger.delivered, PATIENT).toBe(1);
});

const read = async (resource: string, id: string) =>
  (await test.request('GET', `/v1/${resource}/${id}`)).body;

describe('an invalid list of hosts stops the start with one line', () => {
  it.each([
    'https://broker.example.com',
    'broker.example.com:',
    'a b',
    '*.example.com',
    'x:99999',
    'x,',
    '[::1',
    ':80',
  ])('%s', (hosts) => {
    expect(() => readConfig({ PENSTOCK_X: 'x', PENSTOCK_X_HOSTS: hosts })).toThrow(ConfigError);
    expect(() => readConfig({ PENSTOCK_X: 'x', PENSTOCK_X_HOSTS: hosts })).toThrow(
      /^PENSTOCK_X_HOSTS must be a list of hosts such as broker\.example\.com or 10\.0\.0\.5:1883, separated by commas \(it is ".*"\)\.$/,
    );
  });
  it.each(['broker.example.com', 'bröker.example.com:1883', '10.0.0.5', '::1', '[::1]:8086, influx'])(
    'but not %s',
    (hosts) => {
      expect(() => readConfig({ PENSTOCK_X: 'x', PENSTOCK_X_HOSTS: hosts })).not.toThrow();
    },
  );
});
