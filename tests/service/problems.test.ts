import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { problemSchema } from '#contract/problem.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

const post = (body: unknown, headers = {}) => test.request('POST', '/v1/devices', { body, headers });

/** Sends bytes as they are and returns what comes back. */
const raw = (text: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(test.url).port), '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });

it('a field that breaks several rules gets one error', async () => {
  const { status, body } = await post({ name: 'Boiler', externalId: '' });
  expect(status).toBe(422);
  expect(body.errors).toEqual([{ pointer: '/externalId', code: 'too-small', detail: 'Must not be empty.' }]);
  expect(body.detail).toBe('/externalId: Must not be empty. Nothing was changed.');
});

describe('a rejected request gets a problem that says what to do', () => {
  it.each([
    ['a broken JSON body', () => post('{"name": '), 400, 'malformed-body', /not JSON/],
    ['an empty body', () => post(''), 400, 'malformed-body', /empty/],
    [
      'a body with constructor',
      () => post('{"name":"x","tags":{"constructor":"y"}}'),
      400,
      'malformed-body',
      /constructor/,
    ],
    ['a body with __proto__', () => post('{"name":"x","__proto__":{}}'), 400, 'malformed-body', /__proto__/],
    [
      'a body that nests too deep',
      () => post('['.repeat(33) + ']'.repeat(33)),
      400,
      'malformed-body',
      /32 levels/,
    ],
    [
      'a field that is not known',
      () => post({ name: 'x', colour: 'red' }),
      422,
      'validation-failed',
      /\/colour/,
    ],
    ['a body that is no object', () => post('[]'), 422, 'validation-failed', /./],
    [
      'a name with a direction-changing character',
      () => post({ name: 'a\u202Eb' }),
      422,
      'validation-failed',
      /\/name/,
    ],
    [
      'a media type that is not taken',
      () => post('a=b', { 'content-type': 'text/html' }),
      415,
      'unsupported-media-type',
      /application\/json/,
    ],
    [
      'an unknown parameter',
      () => test.request('GET', '/v1/devices?colour=red'),
      400,
      'invalid-parameter',
      /colour/,
    ],
    [
      'a repeated parameter',
      () => test.request('GET', '/v1/devices?limit=1&limit=2'),
      400,
      'invalid-parameter',
      /limit/,
    ],
    [
      'a limit out of range',
      () => test.request('GET', '/v1/devices?limit=201'),
      400,
      'invalid-parameter',
      /limit/,
    ],
    [
      'a sort that is not offered',
      () => test.request('GET', '/v1/devices?sort=colour'),
      400,
      'invalid-parameter',
      /sort/,
    ],
    [
      'a garbage cursor',
      () => test.request('GET', '/v1/devices?cursor=xyz'),
      400,
      'cursor-mismatch',
      /cursor/,
    ],
    ['an id that is none', () => test.request('GET', '/v1/devices/nonsense'), 404, 'not-found', /./],
    [
      'a path that is not there',
      () => test.request('GET', '/v1/nonsense'),
      404,
      'not-found',
      /openapi\.json/,
    ],
    [
      'a method that is not taken',
      () => test.request('PUT', '/v1/devices'),
      405,
      'method-not-allowed',
      /GET/,
    ],
    [
      'a body over the limit',
      () => post({ name: 'x', description: 'y'.repeat(300_000) }),
      413,
      'body-too-large',
      /256 KiB/,
    ],
  ] as const)('%s', async (_, send, status, code, detail) => {
    const answer = await send();
    expect(problemSchema.parse(answer.body)).toMatchObject({ status, code });
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toMatch(detail);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.headers.get('x-request-id')).toBe(answer.body.requestId);
  });

  it('a body that is not UTF-8', async () => {
    for (const type of ['application/json', 'application/x-ndjson']) {
      const answer = await fetch(`${test.url}/v1/telemetry`, {
        method: 'POST',
        headers: { authorization: `Bearer ${test.token}`, 'content-type': type },
        body: Buffer.from([0x22, 0xff, 0x22]),
      });
      expect(problemSchema.parse(await answer.json())).toMatchObject({
        code: 'malformed-body',
        detail: expect.stringContaining('UTF-8'),
      });
    }
  });

  it('an empty body for an endpoint without one is ignored, whatever its media type', async () => {
    const { body } = await post({ name: 'Short-lived' });
    const headers = { 'content-type': 'application/json' };
    const { status } = await test.request('DELETE', `/v1/devices/${body.id}`, { headers });
    expect(status).toBe(204);
  });

  it('describes what is accepted for a missing field and a wrong type', async () => {
    const missing = await test.request('POST', '/v1/pipelines', { body: { name: 'plc' } });
    expect(missing.body.detail).toMatch(
      /^3 fields are invalid\. The first is \/type: Required \(string\)\. Nothing/,
    );
    const detailOf = ({ errors }: { errors: { pointer: string; detail: string }[] }, pointer: string) =>
      errors.find((error) => error.pointer === pointer)?.detail;
    expect(detailOf(missing.body, '/interval')).toBe('Required (number).');
    for (const interval of [null, '10', 1.5]) {
      const { body } = await test.request('POST', '/v1/pipelines', { body: { name: 'plc', interval } });
      expect(detailOf(body, '/interval')).toBe('Must be a whole number of seconds.');
    }
    const kind = await test.request('GET', '/v1/devices?limit=abc');
    expect(kind.body.detail).toBe('limit: Must be a number.');
    const size = await test.request('GET', '/v1/devices?limit=201');
    expect(size.body.detail).toBe('limit: Must be at most 200.');
  });

  it('names every invalid field by its pointer', async () => {
    const { body } = await post({ name: '', tags: { 'a b': 'c' }, expectedInterval: -1, extra: 1 });
    const pointers = body.errors.map(({ pointer }: { pointer: string }) => pointer).toSorted();
    expect(pointers).toEqual(['/expectedInterval', '/extra', '/name', '/tags/a b']);
  });

  it('returns the allowed methods with 405', async () => {
    const { headers } = await test.request('DELETE', '/v1/devices');
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST']);
  });

  it('invalid HTTP also gets a problem', async () => {
    expect(await raw('NONSENSE\r\n\r\n')).toMatch(/^HTTP\/1\.1 400[\s\S]*"code":"malformed-body"/);
  });

  it('headers over the limit get 431', async () => {
    const answer = await raw(`GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431[\s\S]*"code":"headers-too-large"/);
  });

  it('an unknown Host is rejected, which prevents DNS rebinding', async () => {
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      httpRequest(`${test.url}/v1/health`, { headers: { host: 'evil.example' } }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      })
        .on('error', reject)
        .end();
    });
    expect(answer.status).toBe(421);
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'unknown-host' });
  });
});

describe('a compressed body', () => {
  const send = (bytes: Uint8Array<ArrayBuffer>, encoding = 'gzip') =>
    fetch(`${test.url}/v1/devices`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${test.token}`,
        'content-type': 'application/json',
        'content-encoding': encoding,
      },
      body: bytes,
    });

  it('is decompressed', async () => {
    const answer = await send(gzipSync(JSON.stringify({ name: 'Squeezed' })));
    expect([answer.status, ((await answer.json()) as { name: string }).name]).toEqual([201, 'Squeezed']);
  });

  it('is rejected if it exceeds the limit after decompression', async () => {
    const answer = await send(gzipSync(Buffer.alloc(21 * 1_048_576, ' ')));
    expect([answer.status, problemSchema.parse(await answer.json()).code]).toEqual([413, 'body-too-large']);
  });

  it('is rejected if it does not match its encoding', async () => {
    const answer = await send(Buffer.from('not gzip'));
    expect([answer.status, problemSchema.parse(await answer.json()).code]).toEqual([400, 'malformed-body']);
  });

  it('is rejected in an unsupported encoding', async () => {
    const answer = await send(Buffer.from('{}'), 'zstd');
    expect([answer.status, problemSchema.parse(await answer.json()).code]).toEqual([
      415,
      'unsupported-media-type',
    ]);
  });

  it('without a Content-Length is rejected as soon as it exceeds the limit', async () => {
    const chunks = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(32)),
    });
    const answer = await fetch(`${test.url}/v1/devices`, {
      method: 'POST',
      headers: { authorization: `Bearer ${test.token}`, 'content-type': 'application/json' },
      body: chunks,
      duplex: 'half',
    } as RequestInit).then(
      async (response) => [response.status, problemSchema.parse(await response.json()).code],
      // Where the client is still sending, the connection may end before it reads the answer.
      () => [413, 'body-too-large'],
    );
    expect(answer).toEqual([413, 'body-too-large']);
  });
});

describe('every response', () => {
  it.each(['/v1/health', '/v1/devices', '/v1/nonsense', '/'])(
    'of %s carries the strict policy',
    async (path) => {
      const { headers } = await test.request('GET', path);
      expect(headers.get('content-security-policy')).toContain(
        "default-src 'none'; script-src 'self'; style-src 'self'",
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    },
  );
});

it('the log at level debug has each request with its ID', async () => {
  const lines: string[] = [];
  const logged = await startTestService({ logTo: { write: (line) => void lines.push(line) } });
  onTestFinished(() => logged.close());
  const { body } = await logged.request('GET', '/v1/devices/missing?fields=name');
  const entries = () => lines.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === body.requestId);
  await expect.poll(entries).toMatchObject([
    {
      level: 20,
      method: 'GET',
      path: '/v1/devices/missing',
      status: 404,
      from: '127.0.0.1',
      msg: 'request',
    },
  ]);
});
