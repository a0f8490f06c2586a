import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let meter: Server;
let meterUrl: string;
/** Before it is resolved, the meter does not answer at `/held`. */
const held = Promise.withResolvers<void>();
/** Resolves when the meter was asked at `/left`. */
const leave = Promise.withResolvers<{ closed: Promise<unknown> }>();
beforeAll(async () => {
  service = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8', MQTT_PORT: String(await freePort()) },
  });
  meter = createServer((request, response) => {
    if (request.url === '/broken') return response.writeHead(500).end();
    response.setHeader('content-type', 'application/json');
    if (request.url === '/held') return void held.promise.then(() => response.end('{"temperature":21.5}'));
    if (request.url === '/left') return leave.resolve({ closed: once(response, 'close') });
    return response.end(request.url === '/text' ? '"hello"' : '{"temperature":21.5,"humidity":40}');
  });
  await new Promise<void>((resolve) => meter.listen(0, '127.0.0.1', resolve));
  meterUrl = `http://127.0.0.1:${(meter.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await service.close();
  meter.close();
});

/** Opens a test as a stream of lines. */
const stream = (url: string, signal?: AbortSignal) =>
  fetch(`${service.url}/v1/pipelines/test`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
      accept: 'application/x-ndjson',
    },
    body: JSON.stringify({
      name: 'Streamed',
      type: 'http-poll',
      interval: 60,
      destination: 'telemetry',
      config: { url, device: 'meter-1' },
    }),
    ...(signal === undefined ? {} : { signal }),
  });

type Step = { step: string; ok: boolean; detail: string; ms: number; pointer?: string };
const attempt = async (type: string, config: Record<string, unknown> = {}, more = {}) => {
  const { status, body } = await service.request('POST', '/v1/pipelines/test', {
    body: { name: 'Tried', type, interval: 60, destination: 'telemetry', config, ...more },
  });
  expect(status).toBe(200);
  const steps: Step[] = body.steps;
  return {
    ok: body.ok,
    steps,
    message: body.message,
    problems: body.problems,
    said: steps.map(({ step, ok }) => `${step} ${ok}`),
  };
};
const works = ['fields true', 'source true', 'destination true'];

test('each step of a polled source is tested, with its result', async () => {
  const { ok, steps, message, said } = await attempt('http-poll', { url: meterUrl, device: 'meter-1' });
  expect(message).toEqual({
    message: '{"temperature":21.5,"humidity":40}',
    truncated: false,
    topic: null,
    device: 'meter-1',
  });
  expect(said).toEqual(['fields true', 'source true', 'mapping true', 'destination true']);
  expect(ok).toBe(true);
  expect(steps[2]?.detail).toBe('2 samples from 1 device, as flat.');
});

test('this machine can be tested', async () => {
  const { ok, steps } = await attempt('host');
  expect(ok).toBe(true);
  expect(steps.find(({ step }) => step === 'mapping')?.detail).toMatch(/^\d+ samples from 1 device\.$/);
});

test.each(['http', 'mqtt'])('a pushed source (%s) reports that it waits', async (type) => {
  const { ok, said } = await attempt(type);
  expect([ok, said]).toEqual([true, works]);
});

test('errors of the source are reported in its step', async () => {
  const broken = await attempt('http-poll', { url: `${meterUrl}/broken` });
  expect(broken.said.slice(0, 2)).toEqual(['fields true', 'source false']);
  expect(broken.steps[1]?.detail).toContain('500');
  const refused = await attempt('mqtt', { url: `mqtt://127.0.0.1:${await freePort()}` });
  expect(refused.said.slice(0, 2)).toEqual(['fields true', 'source false']);
  expect(refused.steps[1]?.detail).toContain('refused');
  const forbidden = await attempt('http-poll', { url: 'http://169.254.169.254/latest' });
  expect([forbidden.ok, forbidden.steps[1]?.ok]).toEqual([false, false]);
  expect(forbidden.steps[1]?.detail).toContain('169.254.169.254');
});

test('an unreadable message is reported in the mapping step', async () => {
  const { ok, said } = await attempt('http-poll', { url: `${meterUrl}/text` });
  expect([ok, said[2]]).toEqual([false, 'mapping false']);
});

test('missing fields are reported before any other step', async () => {
  const { ok, steps, problems } = await attempt('http-poll');
  expect([ok, steps.length]).toEqual([false, 1]);
  expect(problems).toEqual([{ pointer: '/config/url', detail: expect.any(String) }]);
  expect(steps[0]?.detail).toContain('/config/url');
});

test('a test leaves no pipeline, device, value or event', async () => {
  expect((await service.request('GET', '/v1/pipelines')).body.data).toEqual([]);
  expect((await service.request('GET', '/v1/devices')).body.data).toEqual([]);
  const { body } = await service.request('GET', '/v1/events?type=pipeline.created&type=device.registered');
  expect(body.data).toEqual([]);
});

test('a test reports why the pipeline cannot be created, before it connects to anything', async () => {
  const withPassword = await attempt('http-poll', { url: meterUrl.replace('//', '//user:pw@') });
  expect([withPassword.ok, withPassword.said]).toEqual([false, ['fields false']]);
  expect(withPassword.problems).toEqual([
    { pointer: '/config/url', detail: expect.stringContaining('Do not put secrets in the URL') },
  ]);

  const { body } = await service.request('POST', '/v1/pipelines', {
    body: { name: 'Ours', type: 'http', interval: 60, destination: 'telemetry' },
  });
  const taken = await attempt('http-poll', { url: meterUrl }, { name: 'OURS' });
  expect([taken.ok, taken.said]).toEqual([false, ['fields false']]);
  expect(taken.problems).toEqual([{ pointer: '/name', detail: 'Already used by another pipeline.' }]);
  // A pipeline that is edited may keep its name.
  const changed = await service.request('POST', `/v1/pipelines/test?pipeline=${body.id}`, {
    body: { name: 'Ours', type: 'http', interval: 60, destination: 'telemetry' },
  });
  expect(changed.body.ok).toBe(true);
});

test('a streamed test reports each step when it begins and ends, and the result last', async () => {
  const response = await stream(`${meterUrl}/held`);
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  let text = '';
  const lines = () => text.split('\n').slice(0, -1);
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk).toString();
    // The source answers only after the client has read that its step began.
    if (lines().at(-1) === '{"type":"begin","step":"source"}') held.resolve();
  }
  const read = lines().map((line) => JSON.parse(line));
  expect(read.map(({ type, step, ok }) => [type, step, ok].filter((part) => part !== undefined))).toEqual([
    ['begin', 'fields'],
    ['step', 'fields', true],
    ['begin', 'source'],
    ['step', 'source', true],
    ['begin', 'mapping'],
    ['step', 'mapping', true],
    ['begin', 'destination'],
    ['step', 'destination', true],
    ['end'],
  ]);
  const steps = read.filter(({ type }) => type === 'step').map(({ type: _, ...step }) => step);
  expect(read.at(-1).test).toMatchObject({ ok: true, steps, message: { device: 'meter-1' } });
});

// A poll without an answer ends after 10 s.
test('a test whose client leaves closes its connections at once', { timeout: 5_000 }, async () => {
  const leaving = new AbortController();
  const left = stream(`${meterUrl}/left`, leaving.signal).then((response) => response.text());
  const { closed } = await leave.promise;
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  await closed;
});

test('a failed step names the field to check', async () => {
  const pointers = async (...made: Parameters<typeof attempt>) =>
    (await attempt(...made)).steps.flatMap(({ step, pointer }) =>
      pointer === undefined ? [] : [[step, pointer]],
    );
  expect(await pointers('http-poll', { url: `${meterUrl}/broken` })).toEqual([['source', '/config/url']]);
  expect(await pointers('http-poll', { url: meterUrl })).toEqual([['mapping', '/config/device']]);
  expect(await pointers('http-poll', { url: `${meterUrl}/text` })).toEqual([['mapping', '/mapping']]);
  const mapping = { format: 'expression', expression: '$error("off")' };
  expect(await pointers('http-poll', { url: meterUrl }, { mapping })).toEqual([
    ['mapping', '/mapping/expression'],
  ]);
  const { body } = await service.request('POST', '/v1/destinations', {
    body: { name: 'Gone', type: 'webhook', url: `http://127.0.0.1:${await freePort()}` },
  });
  expect(body.name).toBe('Gone');
  expect(await pointers('http', {}, { destination: 'Gone' })).toEqual([['destination', '/destination']]);
});
