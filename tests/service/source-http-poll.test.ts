import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from './free-port.ts';
import { findProgram, isInstalled } from './installed.ts';
import { startTestService, type TestService } from './start-test-service.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let test: TestService;
let server: Server;
let origin: string;
const answers = new Map<string, Answer>();
beforeAll(async () => {
  server = createServer((request, response) => {
    const answer = answers.get(request.url ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  test = await startTestService({ env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await test.close();
});

const create = (name: string, config: Record<string, unknown>) =>
  test.request('POST', '/v1/pipelines', {
    body: { name, type: 'http-poll', interval: 1, destination: 'telemetry', config },
  });
const read = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
const latestOf = async (device: string) => {
  const { body } = await test.request('GET', `/v1/telemetry/latest?device=${device}`);
  const values = (body.data ?? []) as { metric: string; value: unknown }[];
  return Object.fromEntries(values.map(({ metric, value }) => [metric, value]));
};
const json =
  (body: unknown): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

it('polls JSON at each interval, with the configured headers', async () => {
  const seen: IncomingMessage['headers'][] = [];
  answers.set('/json', (response, request) => {
    seen.push(request.headers);
    json({ temperature: 20 + seen.length, fan: { on: true } })(response, request);
  });
  const { body } = await create('Json', {
    url: `${origin}/json`,
    device: 'polled',
    headers: { Authorization: 'Bearer canary', Accept: 'application/json' },
  });
  expect(body.config.headers).toEqual({ Authorization: '***', Accept: 'application/json' });
  await vi.waitFor(
    async () => expect(await latestOf('polled')).toEqual({ temperature: 22, 'fan.on': true }),
    20_000,
  );
  expect(seen[0]).toMatchObject({ authorization: 'Bearer canary', accept: 'application/json' });
  expect(await read(body.id)).toMatchObject({ state: 'running', lastError: null, ledger: { rejected: 0 } });
  const { body: devices } = await test.request('GET', '/v1/devices?q=polled');
  expect(devices.data[0].expectedInterval).toBe(1);

  // A patch of the headers merges: omitted headers stay, null removes a header.
  const headers = { Accept: null, 'X-Plant': 'north' };
  const changed = await test.request('PATCH', `/v1/pipelines/${body.id}`, { body: { config: { headers } } });
  expect(changed.body.config.headers).toEqual({ Authorization: '***', 'X-Plant': '***' });
  await vi.waitFor(
    () => expect(seen.at(-1)).toMatchObject({ authorization: 'Bearer canary', 'x-plant': 'north' }),
    20_000,
  );
});

it('reads Prometheus text', async () => {
  answers.set('/metrics', (response) =>
    response
      .writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
      .end('# TYPE http_requests_total counter\nhttp_requests_total{method="get",code="200"} 1027\nup 1\n'),
  );
  await create('My exporter', { url: `${origin}/metrics` });
  await vi.waitFor(
    async () =>
      expect(await latestOf('my-exporter')).toEqual({
        'http_requests_total.code.200.method.get': 1027,
        up: 1,
      }),
    20_000,
  );
});

it.skipIf(!isInstalled('prometheus-node-exporter'))('reads the output of a node exporter', async () => {
  const port = await freePort();
  const exporter = spawn(
    findProgram('prometheus-node-exporter') ?? '',
    [
      `--web.listen-address=127.0.0.1:${port}`,
      '--collector.disable-defaults',
      '--collector.loadavg',
      '--collector.meminfo',
    ],
    { stdio: 'ignore' },
  );
  onTestFinished(() => void exporter.kill('SIGKILL'));
  const { body } = await create('node', { url: `http://127.0.0.1:${port}/metrics` });
  await vi.waitFor(async () => {
    const latest = await latestOf('node');
    expect(latest['node_memory_MemTotal_bytes']).toBeGreaterThan(1_000_000);
    expect(latest['node_load1']).toBeGreaterThanOrEqual(0);
  }, 20_000);
  expect((await read(body.id)).ledger).toMatchObject({ pending: 0, rejected: 0 });
});

it.each<[string, Answer, string]>([
  [
    '404',
    (response) => response.writeHead(404).end(),
    'Answered 404 Not Found: there is no resource at this URL.',
  ],
  [
    '401',
    (response) => response.writeHead(401).end(),
    'Answered 401 Unauthorized: the server rejects the credentials.',
  ],
  ['503', (response) => response.writeHead(503).end(), 'Answered 503 Service Unavailable.'],
  [
    '302',
    (response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    'Penstock does not follow redirects',
  ],
  ['reset', (response) => response.socket?.destroy(), 'closed the connection before answering.'],
  ['hang', () => undefined, 'did not answer within 1 s.'],
  ['slow-body', (response) => response.writeHead(200).write('{"a":'), 'did not answer within 1 s.'],
  [
    'huge',
    (response) => response.writeHead(200).end('x'.repeat(6_000_000)),
    'larger than the limit of 5 MiB',
  ],
  [
    'gzip',
    (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    'compressed (gzip)',
  ],
])('reports the error, and continues when it is over (%s)', async (name, answer, words) => {
  answers.set(`/${name}`, answer);
  const { body } = await create(`Trouble ${name}`, {
    url: `${origin}/${name}`,
    timeout: 1,
    device: `trouble-${name}`,
  });
  await vi.waitFor(
    async () =>
      expect(await read(body.id)).toMatchObject({
        state: 'degraded',
        lastError: { detail: expect.stringContaining(words) },
        ledger: { received: 0 },
      }),
    20_000,
  );
  answers.set(`/${name}`, json({ ok: 1 }));
  await vi.waitFor(async () => expect(await latestOf(`trouble-${name}`)).toEqual({ ok: 1 }), 20_000);
  await test.request('DELETE', `/v1/pipelines/${body.id}`);
});

it('an unreadable response is rejected and stored', async () => {
  answers.set('/html', (response) => response.writeHead(200).end('<html>'));
  const { body } = await create('Html', { url: `${origin}/html` });
  await vi.waitFor(async () => {
    const { body: kept } = await test.request('GET', `/v1/pipelines/${body.id}/rejections`);
    expect(kept.data[0]).toMatchObject({ reason: 'not-json', message: '<html>' });
  }, 20_000);
});

it('a source is unanswered since its last answer, also after a restart', async () => {
  answers.set('/away', json({ ok: 1 }));
  const { body } = await create('Away', { url: `${origin}/away`, device: 'away' });
  await vi.waitFor(async () => expect(await latestOf('away')).toEqual({ ok: 1 }), 20_000);
  answers.set('/away', (response) => response.writeHead(500).end());
  const unanswered = async () => {
    const { state, stateReason } = await read(body.id);
    expect([state, stateReason?.code]).toEqual(['degraded', 'source']);
    return stateReason;
  };
  const reason = await vi.waitFor(unanswered, 20_000);
  expect(reason.detail).toBe('Answered 500 Internal Server Error.');
  expect(Date.parse(reason.since)).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
  await test.restart();
  expect(await unanswered()).toEqual(reason);
  const { body: events } = await test.request(
    'GET',
    `/v1/events?subject=${body.id}&type=pipeline.state-changed`,
  );
  expect(events.data).toHaveLength(1);
});

it('forbidden addresses are rejected in the form, or when connecting', async () => {
  for (const url of [
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://0x0a000001/',
    test.url,
  ]) {
    const { status, body } = await create('Forbidden', { url });
    expect([url, status, body.code, body.errors?.[0].pointer]).toEqual([
      url,
      422,
      'destination-forbidden',
      '/config/url',
    ]);
  }
  const { body } = await create('A name', { url: 'http://localhost.localdomain.invalid/' });
  await vi.waitFor(
    async () =>
      expect((await read(body.id)).lastError?.detail).toMatch(/was not found|could not be resolved/),
    20_000,
  );
});

it('an invalid config is reported', async () => {
  expect((await create('Nothing', {})).body).toMatchObject({
    state: 'draft',
    problems: [{ pointer: '/config/url' }],
  });
  const { body } = await create('Wrong', {
    url: 'ftp://files.example.com',
    timeout: 0,
    headers: { Host: 'x', 'a b': 'c', fine: 'ä' },
  });
  expect(body.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
    expect.arrayContaining(['/config/url', '/config/timeout', '/config/headers/fine']),
  );
  expect(JSON.stringify(body.problems)).toMatch(
    /Penstock sets this header. Remove it.*Must be a valid header name/s,
  );
});
