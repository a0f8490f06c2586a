import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { networksApi } from '#contract/networks.ts';
import { scopes } from '#contract/scope.ts';
import { freePort } from './free-port.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let receiver: Receiver;
let metricsPort: number;
beforeAll(async () => {
  receiver = await startReceiver();
  metricsPort = await freePort();
  test = await startTestService({
    env: { ALLOWED_NETWORKS: '10.99.0.0/16, fd12::/16', METRICS_PORT: String(metricsPort) },
  });
});
afterAll(async () => {
  await test.close();
  await receiver.close();
});

const request = (method: string, path: string, body?: unknown, token?: string) =>
  test.request(method, path, {
    ...(body === undefined ? {} : { body }),
    ...(token === undefined ? {} : { token }),
  });
const allow = (network: string, ports?: number[] | null) =>
  request('POST', '/v1/networks', { network, ...(ports === undefined ? {} : { ports }) });
const listed = async () => networksApi.list.response.parse((await request('GET', '/v1/networks')).body).data;
const stored = async () => (await listed()).filter(({ id }) => id !== null);
const remove = (id: string) => request('DELETE', `/v1/networks/${id}`);

beforeEach(async () => {
  for (const { id } of await stored()) await remove(id!);
});

let webhooks = 0;
const createWebhook = (url: string) =>
  request('POST', '/v1/webhooks', { name: `On-call ${++webhooks}`, url, events: ['device.offline'] });

it('a forbidden address is refused with the body that allows it, which holds from the next connection until it is removed', async () => {
  const port = Number(new URL(receiver.url).port);
  const refused = await createWebhook(receiver.url);
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    code: 'destination-forbidden',
    detail: `127.0.0.1 is a loopback address. Only public addresses and allowed networks can be reached. Allow 127.0.0.1:${port} under Settings → Network (requires network:manage), or set ALLOWED_NETWORKS.`,
    errors: [{ pointer: '/url', allow: { network: '127.0.0.1', ports: [port] } }],
  });

  const created = await request('POST', '/v1/networks', refused.body.errors[0].allow);
  expect([created.status, created.headers.get('location')]).toEqual([201, `/v1/networks/${created.body.id}`]);
  expect(created.body).toMatchObject({ network: '127.0.0.1', ports: [port], createdBy: 'Operator' });
  expect((await request('GET', `/v1/networks/${created.body.id}`)).body).toEqual(created.body);

  const webhook = await createWebhook(receiver.url);
  expect(webhook.status).toBe(201);
  const send = async () => (await request('POST', `/v1/webhooks/${webhook.body.id}/test`)).body;
  expect(await send()).toMatchObject({ ok: true });

  expect((await remove(created.body.id)).status).toBe(204);
  expect(await send()).toMatchObject({ ok: false, detail: expect.stringContaining('loopback address') });
  expect((await request('GET', `/v1/networks/${created.body.id}`)).status).toBe(404);
  expect((await remove(created.body.id)).status).toBe(404);
});

it.each([
  ['http-poll', { url: 'http://10.0.0.9:9100/metrics' }, 9100],
  [
    'modbus',
    { host: '10.0.0.9', registers: [{ metric: 'power', address: 0, kind: 'input', type: 'int16' }] },
    502,
  ],
  ['mqtt', { url: 'mqtt://10.0.0.9' }, 1883],
  ['nats', { url: 'nats://10.0.0.9', stream: 'S', subject: 'telemetry' }, 4222],
])(
  'a test of a pipeline of type %s includes the body that allows its address',
  async (type, config, port) => {
    const pipeline = { name: 'Tried', type, interval: 60, destination: 'telemetry', config };
    const { body } = await request('POST', '/v1/pipelines/test', pipeline);
    expect(body.steps).toMatchObject([
      { step: 'fields', ok: true },
      { step: 'source', ok: false, allow: { network: '10.0.0.9', ports: [port] } },
      { step: 'destination' },
    ]);
  },
);

it('a destination that was blocked for its address is retried as soon as the address is allowed', async () => {
  const port = Number(new URL(receiver.url).port);
  const first = await allow('127.0.0.1', [port]);
  const destination = await request('POST', '/v1/destinations', {
    name: 'Lake',
    type: 'webhook',
    url: receiver.url,
  });
  const pipeline = await request('POST', '/v1/pipelines', {
    name: 'Hall 6',
    type: 'http',
    interval: 1,
    destination: 'Lake',
  });
  await remove(first.body.id);
  await request('POST', `/v1/pipelines/${pipeline.body.id}/messages?device=hall-6`, { t: 1 });
  const state = async () => (await request('GET', `/v1/destinations/${destination.body.id}`)).body.state;
  await expect.poll(state).toBe('blocked');
  await allow('127.0.0.1', [port]);
  await expect.poll(state).toBe('healthy');
});

it('a network is allowed with all its addresses on the given ports only', async () => {
  expect((await allow('192.168.4.0/24', [8080, 443])).status).toBe(201);
  const codes = await Promise.all(
    ['192.168.4.1:8080', '192.168.4.255:443', '192.168.4.1:80', '192.168.5.1:8080'].map(
      async (host) => (await createWebhook(`http://${host}/`)).body.code,
    ),
  );
  expect(codes).toEqual([undefined, undefined, 'destination-forbidden', 'destination-forbidden']);
});

it('allowed networks survive a restart, after those of the configuration, which cannot be removed', async () => {
  await allow('172.16.0.0/12');
  const before = await listed();
  expect(before.map(({ id, network }) => [id === null, network])).toEqual([
    [true, '10.99.0.0/16'],
    [true, 'fd12::/16'],
    [false, '172.16.0.0/12'],
  ]);
  await test.restart();
  expect(await listed()).toEqual(before);
  expect((await createWebhook('http://172.31.0.1/')).status).toBe(201);
  expect((await createWebhook('http://10.99.1.1/')).status).toBe(201);
  expect((await request('DELETE', '/v1/networks/null')).status).toBe(404);
});

it('each change is an event that names who made it', async () => {
  const { id: keyId, secret } = await test.mintKey(['network:manage']);
  const created = await request('POST', '/v1/networks', { network: '10.0.0.5', ports: [502] }, secret);
  await request('DELETE', `/v1/networks/${created.body.id}`, undefined, secret);
  const { data } = (await request('GET', `/v1/events?subject=${created.body.id}&sort=at`)).body;
  const shared = {
    subject: { type: 'network', id: created.body.id, name: '10.0.0.5:502' },
    actor: { type: 'api-key', id: keyId, name: 'Test key' },
    data: { network: '10.0.0.5', ports: [502] },
  };
  expect(data).toMatchObject([
    { type: 'network.created', ...shared },
    { type: 'network.deleted', ...shared },
  ]);
});

it.each([
  ['10.0.0.7/32', [502, 80, 502], '10.0.0.7', [80, 502]],
  ['FD00:0::/64', null, 'fd00::/64', null],
  ['::ffff:10.0.0.8', undefined, '10.0.0.8', null],
  ['::ffff:10.1.0.0/112', undefined, '10.1.0.0/16', null],
] as const)('%s on %j is kept as %s on %j', async (network, ports, kept, keptPorts) => {
  const { status, body } = await allow(network, ports === undefined || ports === null ? ports : [...ports]);
  expect([status, body.network, body.ports]).toEqual([201, kept, keptPorts]);
});

it.each([
  ['plc.local', [502], /^Enter an IP address such as 10\.0\.0\.5, .*Penstock checks the addresses/],
  ['10.0.0.5:502', [502], /^Enter an IP address/],
  ['10.0.0.5/24', null, /^10\.0\.0\.5\/24 is an address in the network 10\.0\.0\.0\/24\. Enter that network/],
  ['0.0.0.0/0', null, /^0\.0\.0\.0\/0 is too large\. Enter an address, or a network of at least \/8\.$/],
  ['::/0', null, /too large.*\/7/],
  ['::ffff:0.0.0.0/96', null, /too large.*\/8/],
  ['8.8.8.8', null, /^8\.8\.8\.8 is a public address\./],
  ['169.254.169.254', [80], /serves the metadata of cloud machines, and is never allowed/],
  ['10.0.0.5', [], /^Enter at least one port, or null for all ports/],
  ['10.0.0.5', [0], /./],
  ['10.0.0.5', [65_536], /./],
  ['10.0.0.5', [1.5], /./],
])('%s on %j is rejected', async (network, ports, detail) => {
  const { status, body } = await allow(network, ports);
  expect([status, body.code]).toEqual([422, 'validation-failed']);
  expect(body.errors[0]).toMatchObject({
    pointer: expect.stringMatching(/^\/(network|ports)/),
    detail: expect.stringMatching(detail),
  });
  expect(await stored()).toEqual([]);
});

it('the same network on the same ports is a conflict', async () => {
  await allow('10.0.0.5', [502, 503]);
  const again = await allow('10.0.0.5/32', [503, 502]);
  expect([again.status, again.body.code, again.body.detail]).toEqual([
    409,
    'conflict',
    '10.0.0.5 on ports 502, 503 is already allowed.',
  ]);
  expect((await allow('10.0.0.5', [502])).status).toBe(201);
});

describe('whatever is allowed', () => {
  it.each([
    ['the metadata of cloud machines', () => 'http://169.254.169.254/latest/', /metadata of cloud machines/],
    ['the port of the metrics', () => `http://127.0.0.1:${metricsPort}/metrics`, /is Penstock itself/],
    ['Penstock itself', () => `http://127.0.0.1:${new URL(test.url).port}/v1/`, /is Penstock itself/],
  ])('%s stays forbidden, without a body that would allow it', async (_, url, reason) => {
    await allow('169.254.0.0/16');
    await allow('127.0.0.0/8');
    const { status, body } = await createWebhook(url());
    expect([status, body.code]).toEqual([422, 'destination-forbidden']);
    expect(body.errors).toEqual([
      { pointer: '/url', code: 'destination-forbidden', detail: expect.stringMatching(reason) },
    ]);
  });
});

it('a full key and an operator may change networks, others read that they need network:manage', async () => {
  const full = await test.mintKey([...scopes]);
  expect((await request('GET', '/v1/networks', undefined, full.secret)).status).toBe(200);
  const { secret } = await test.mintKey(scopes.filter((scope) => scope !== 'network:manage'));
  const refused = await request('POST', '/v1/networks', { network: '10.0.0.5' }, secret);
  expect([refused.status, refused.body.errors[0].detail]).toEqual([403, 'network:manage']);
});

it('there are at most 200 networks', async () => {
  const { db } = test.service.parts;
  onTestFinished(async () => {
    await db.deleteFrom('allowed_network').execute();
  });
  await db
    .insertInto('allowed_network')
    .values(
      Array.from({ length: 200 }, (_, at) => ({
        id: `net_${at}`,
        network: `10.0.0.${at}`,
        ports: 'null',
        created_by: 'Ada',
        created_at: at,
      })),
    )
    .execute();
  const { status, body } = await allow('10.0.1.1');
  expect([status, body.code]).toEqual([409, 'conflict']);
  expect(body.detail).toMatch(/^The limit of 200 allowed networks is reached\./);
});
