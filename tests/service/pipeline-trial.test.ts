import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let meter: Server;
let meterUrl: string;
beforeAll(async () => {
  service = await startTestService({
    env: { ALLOWED_NETWORKS: '127.0.0.0/8', MQTT_PORT: String(await freePort()) },
  });
  meter = createServer((request, response) => {
    if (request.url === '/broken') return response.writeHead(500).end();
    response.setHeader('content-type', 'application/json');
    return response.end(request.url === '/text' ? '"hello"' : '{"temperature":21.5,"humidity":40}');
  });
  await new Promise<void>((resolve) => meter.listen(0, '127.0.0.1', resolve));
  meterUrl = `http://127.0.0.1:${(meter.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await service.close();
  meter.close();
});

type Step = { step: string; ok: boolean; detail: string; ms: number };
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
  expect(steps[2]?.detail).toBe('2 samples of 1 device, as flat.');
});

test('this machine can be tested', async () => {
  const { ok, steps } = await attempt('host');
  expect(ok).toBe(true);
  expect(steps.find(({ step }) => step === 'mapping')?.detail).toMatch(/^\d+ samples of 1 device\.$/);
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
