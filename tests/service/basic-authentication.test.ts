import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snappy, writeRequest } from './remote-write-body.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let secret: string;
let messages: string;
beforeAll(async () => {
  test = await startTestService();
  ({ secret } = await test.mintKey(['telemetry:write']));
  const { body } = await test.request('POST', '/v1/pipelines', {
    body: { name: 'Meters', type: 'http', interval: 60, destination: 'telemetry' },
  });
  messages = `/v1/pipelines/${body.id}/messages`;
});
afterAll(() => test.close());

const basic = (password: string) => `Basic ${Buffer.from(`meter:${password}`).toString('base64')}`;

type Write = { path: () => string; body: unknown; headers?: Record<string, string> };
const WRITES: Record<string, Write> = {
  'a message': { path: () => messages, body: { device: 'meter', values: { energy: 1 } } },
  'a remote write': {
    path: () => '/api/v1/write',
    body: snappy(writeRequest([{ labels: { __name__: 'up', device: 'meter' }, samples: [[1, Date.now()]] }])),
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
  },
  'OpenTelemetry metrics': { path: () => '/otlp/v1/metrics', body: {} },
  'line protocol': {
    path: () => '/write',
    body: 'meter,device=meter power=1',
    headers: { 'content-type': 'text/plain' },
  },
};

describe.each(Object.entries(WRITES))('HTTP Basic for %s', (_, { path, body, headers = {} }) => {
  const send = (authorization?: string, more: Record<string, string> = {}) =>
    test.request('POST', path(), {
      body,
      headers: { ...headers, ...(authorization === undefined ? {} : { authorization }), ...more },
      token: null,
    });

  it('takes the key as the password', async () => {
    expect((await send(basic(secret))).status).toBeOneOf([200, 202, 204]);
  });

  it('is offered to clients that send credentials only on request, but not to browsers', async () => {
    const challengeOf = async (more?: Record<string, string>) => {
      const { status, headers: answered } = await send(undefined, more);
      expect(status).toBe(401);
      return answered.get('www-authenticate');
    };
    expect(await challengeOf()).toBe('Bearer, Basic realm="Penstock"');
    expect(await challengeOf({ 'sec-fetch-site': 'same-origin' })).toBe('Bearer');
    expect(await challengeOf({ origin: 'https://other.example' })).toBe('Bearer');
  });

  it('rejects another password, and does not ask browsers for one', async () => {
    const { status, body: problem, headers: answered } = await send(basic('pen_key_none'));
    expect([status, problem.code]).toEqual([401, 'token-invalid']);
    expect(answered.get('www-authenticate')).not.toMatch(/basic/i);
  });
});

it.each([
  ['POST', '/v1/telemetry', { samples: [] }],
  ['GET', '/v1/devices', undefined],
] as const)('is not taken by %s %s', async (method, path, body) => {
  const { status, body: problem } = await test.request(method, path, {
    headers: { authorization: basic(test.token) },
    token: null,
    ...(body === undefined ? {} : { body }),
  });
  expect([status, problem.code]).toEqual([401, 'token-invalid']);
  const { headers } = await test.request(method, path, { token: null });
  expect(headers.get('www-authenticate')).toBe('Bearer');
});
