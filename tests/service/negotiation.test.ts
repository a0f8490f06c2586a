import { request } from 'node:http';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoint } from '#contract/endpoint.ts';
import { createApp } from '#service/app.ts';
import { preferredType } from '#service/platform/http/preferred-type.ts';
import { registerRoute, route } from '#service/platform/http/route.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

const TYPES = ['text/csv', 'application/x-ndjson'] as const;

describe('an Accept header', () => {
  it.each([
    [undefined, 'text/csv'],
    ['', 'text/csv'],
    ['*/*', 'text/csv'],
    ['application/*', 'application/x-ndjson'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['Application/X-NDJSON ; Q=0.1', 'application/x-ndjson'],
    ['text/csv;q=0, */*', 'application/x-ndjson'],
    ['application/json', undefined],
    ['*/*;q=0', undefined],
  ])('%j chooses %s', (accept, type) => {
    expect(preferredType(accept, TYPES)).toBe(type);
  });

  it('is rejected before any effect if no type is acceptable', async () => {
    const { status, body, headers } = await test.request('POST', '/v1/devices', {
      body: { name: 'Never made' },
      headers: { accept: 'text/html' },
    });
    expect([status, body.code]).toEqual([406, 'not-acceptable']);
    expect(body.detail).toContain('application/json');
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect((await test.request('GET', '/v1/devices?q=never')).body.data).toEqual([]);
  });

  it('is ignored for responses without a body', async () => {
    const { body } = await test.request('POST', '/v1/devices', { body: { name: 'Goes again' } });
    const path = `/v1/devices/${body.id}`;
    const { status } = await test.request('DELETE', path, { headers: { accept: 'text/html' } });
    expect(status).toBe(204);
  });
});

describe('a body for an endpoint without one', () => {
  it.each([
    ['broken JSON', '{"', 'application/json'],
    ['another type', 'a,b', 'text/csv'],
  ])('is not read: %s', async (_, body, type) => {
    const { body: device } = await test.request('POST', '/v1/devices', { body: { name: 'Plain' } });
    const path = `/v1/devices/${device.id}`;
    const headers = { 'content-type': type };
    expect((await test.request('POST', `${path}/restore`, { body, headers })).status).toBe(200);
    expect((await test.request('DELETE', path, { body, headers })).status).toBe(204);
  });

  it('does not hide a 404', async () => {
    const { status } = await test.request('POST', '/v1/nonsense', { body: '{"' });
    expect(status).toBe(404);
  });
});

it('a merge patch cannot create a resource', async () => {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { status, body } = await test.request('POST', '/v1/devices', { body: { name: 'Patchy' }, headers });
  expect([status, body.code]).toEqual([415, 'unsupported-media-type']);
});

it.each([
  ['/v1/devices', {}],
  ['/v1/devices', { 'content-type': '' }],
  ['/v1/devices', { 'content-type': 'nonsense' }],
  ['/v1/telemetry', {}],
])('a body without a valid media type is rejected with the accepted types: %s %o', async (path, headers) => {
  const { hostname: host, port } = new URL(test.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const call = request(
      { host, port, path, method: 'POST', headers: { authorization: `Bearer ${test.token}`, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve(text));
      },
    );
    call.on('error', reject);
    call.end('{}');
  });
  const { status, detail } = JSON.parse(answer);
  expect(status).toBe(415);
  expect(detail).toMatch(
    /^(The request has no Content-Type|The Content-Type "nonsense" is not a media type)\. Send the body as application\/json/,
  );
});

it('a path that is very long is not found', async () => {
  const { status, body } = await test.request('GET', `/v1/devices/${'x'.repeat(5_000)}`);
  expect([status, body.code]).toEqual([404, 'not-found']);
});

it('a key that was changed meanwhile is not revoked with If-Match', async () => {
  const { id } = await test.mintKey(['devices:read']);
  const { headers } = await test.request('GET', `/v1/api-keys/${id}`);
  const ifMatch = { 'if-match': headers.get('etag') ?? '' };
  await test.request('PATCH', `/v1/api-keys/${id}`, { body: { name: 'Renamed' } });
  const { status, body } = await test.request('DELETE', `/v1/api-keys/${id}`, { headers: ifMatch });
  expect([status, body.code]).toEqual([412, 'precondition-failed']);
});

it('an error during compression is returned as a readable problem', async () => {
  const broken = endpoint({
    method: 'GET',
    path: '/v1/broken',
    scope: 'none',
    status: 200,
    doc: { tag: 'Service', summary: 'Breaks', description: 'As soon as it is read.' },
  });
  const app = await createApp(test.service.parts, undefined);
  const answer = new Readable({
    read() {
      this.destroy(new Error('The store is gone.'));
    },
  });
  registerRoute(
    app,
    route(broken, async ({ reply }) => reply.type('application/json').send(answer)),
  );
  const { host } = new URL(test.url);
  const headers = { host, 'accept-encoding': 'gzip' };
  const { statusCode, rawPayload, headers: answered } = await app.inject({ url: '/v1/broken', headers });
  const text = answered['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload;
  expect([statusCode, JSON.parse(text.toString()).code]).toEqual([500, 'internal-error']);
  await app.close();
});
