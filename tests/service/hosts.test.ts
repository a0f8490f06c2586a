import { mkdtempSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { problemSchema } from '#contract/problem.ts';
import { createApp } from '#service/app.ts';
import { rawRequest } from './raw-request.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let dashboardDir: string;
let loopback: TestService;
/** The same service behind a proxy, under another address than the one that it listens on. */
let named: { url: string; close(): Promise<unknown> };
beforeAll(async () => {
  dashboardDir = mkdtempSync(join(tmpdir(), 'penstock-dashboard-'));
  mkdirSync(join(dashboardDir, 'assets'));
  writeFileSync(join(dashboardDir, 'index.html'), '<!doctype html><title>Penstock</title>');
  writeFileSync(join(dashboardDir, 'assets/main-1a2b.js'), 'export {};');
  loopback = await startTestService({ dashboardDir });
  const parts = { ...loopback.service.parts, baseUrl: () => 'https://penstock.example.org' };
  const app = await createApp(parts, undefined);
  named = { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
});
afterAll(async () => {
  await named.close();
  await loopback.close();
  rmSync(dashboardDir, { recursive: true });
});

const ask = ({ url }: { url: string }, ...hosts: string[]) =>
  rawRequest(
    url,
    ['GET /v1/health HTTP/1.1', ...hosts.map((host) => `Host: ${host}`), 'Connection: close', '', ''].join(
      '\r\n',
    ),
  );
describe('the service answers to its own names', () => {
  it.each(['127.0.0.1', 'localhost', 'LOCALHOST', 'LocalHost', '[::1]'])('%s on loopback', async (name) => {
    const { port } = new URL(loopback.url);
    expect((await ask(loopback, `${name}:${port}`)).status).toBe(200);
  });

  it.each(['penstock.example.org', 'PENSTOCK.example.ORG', 'penstock.example.org:443'])(
    '%s where its address says so',
    async (name) => {
      expect((await ask(named, name)).status).toBe(200);
    },
  );
});

it.each(['/v1/health/live', '/v1/health/ready'])(
  '%s answers to any name, for load balancers',
  async (path) => {
    const { status } = await rawRequest(
      named.url,
      [`GET ${path} HTTP/1.1`, 'Host: 10.0.0.7:8080', 'Connection: close', '', ''].join('\r\n'),
    );
    expect(status).toBe(200);
  },
);

describe('the service answers to no other name', () => {
  const foreign = (port: string) => [
    ['another name', 'evil.example'],
    ['its name with another port', '127.0.0.1:1'],
    ['its name without its port', '127.0.0.1'],
    ['a name that begins like it', `127.0.0.1.evil.example:${port}`],
    ['its name with a trailing dot', `localhost.:${port}`],
    ['its address in another spelling', `2130706433:${port}`],
    ['another address of loopback', `127.0.0.2:${port}`],
    ['an IPv6 address', `[2001:db8::1]:${port}`],
    ['a mapped IPv6 address', `[::ffff:127.0.0.1]:${port}`],
    ['a user before it', `127.0.0.1:${port}@evil.example`],
    ['markup', '<script>alert(1)</script>'],
    ['nothing', ''],
  ];
  it('in any spelling', async () => {
    for (const [what, host] of foreign(new URL(loopback.url).port)) {
      const { status, text } = await ask(loopback, host!);
      expect([what, status]).toEqual([what, 421]);
      expect(problemSchema.parse(JSON.parse(text))).toMatchObject({ code: 'unknown-host' });
    }
  });

  it.each([
    '127.0.0.1',
    'localhost',
    'penstock.example.org.',
    'penstock.example.org:8443',
    'xpenstock.example.org',
  ])('%s where its address is another one', async (name) => {
    expect((await ask(named, name)).status).toBe(421);
  });

  it('without a Host, with two, or with another one in the request line', async () => {
    const { host } = new URL(loopback.url);
    expect((await ask(loopback)).status).toBe(421);
    expect((await ask(loopback, host, 'evil.example')).status).toBe(421);
    expect((await ask(loopback, 'evil.example', host)).status).toBe(421);
    const absolute = (name: string) =>
      rawRequest(
        loopback.url,
        `GET http://${name}/v1/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
    expect((await absolute('evil.example')).status).toBe(421);
    expect((await absolute(host)).status).toBe(200);
  });
});

describe('every response has the security headers', () => {
  const send = (head: string, more = '', enough?: (received: string) => boolean) =>
    rawRequest(
      loopback.url,
      `${head}\r\nHost: ${new URL(loopback.url).host}\r\nConnection: close\r\n${more}\r\n`,
      enough,
    );
  const bearer = () => `Authorization: Bearer ${loopback.token}\r\n`;
  it.each([
    ['a page', 200, () => send('GET / HTTP/1.1')],
    ['a page below', 200, () => send('GET /devices/dev_1 HTTP/1.1')],
    ['a file', 200, () => send('GET /assets/main-1a2b.js HTTP/1.1')],
    ['a missing file', 404, () => send('GET /assets/none.js HTTP/1.1')],
    ['a path out of the folder', 404, () => send('GET /assets/../../package.json HTTP/1.1')],
    [
      'an encoded path out of the folder',
      404,
      () => send('GET /assets/%2e%2e%2f%2e%2e%2fpackage.json HTTP/1.1'),
    ],
    ['a list', 200, () => send('GET /v1/devices HTTP/1.1', bearer())],
    ['an answer to HEAD', 200, () => send('HEAD /v1/devices HTTP/1.1', bearer())],
    [
      'a stream',
      200,
      () => send('GET /v1/stream HTTP/1.1', bearer(), (received) => received.includes('\r\n\r\n')),
    ],
    ['an export', 200, () => send('GET /v1/telemetry/export HTTP/1.1', bearer())],
    ['401', 401, () => send('GET /v1/devices HTTP/1.1')],
    ['404', 404, () => send('GET /v1/nothing HTTP/1.1', bearer())],
    ['405', 405, () => send('PUT /v1/devices HTTP/1.1', `${bearer()}Content-Length: 0\r\n`)],
    ['an unknown method', 405, () => send('PROPFIND /v1/devices HTTP/1.1', bearer())],
    ['OPTIONS where no origin is allowed', 405, () => send('OPTIONS /v1/devices HTTP/1.1')],
    ['413', 413, () => send('POST /v1/devices HTTP/1.1', `${bearer()}Content-Length: 9000000\r\n`)],
    [
      '415',
      415,
      () => send('POST /v1/devices HTTP/1.1', `${bearer()}Content-Type: a/b\r\nContent-Length: 1\r\n\r\nx`),
    ],
    [
      'one to a client that expects a wonder',
      200,
      () => send('GET /v1/health HTTP/1.1', 'Expect: a-wonder\r\n'),
    ],
    ['421', 421, () => ask(loopback, 'evil.example')],
    ['431', 431, () => send('GET /v1/health HTTP/1.1', `X: ${'x'.repeat(20_000)}\r\n`)],
    ['an address that is no UTF-8', 400, () => send('GET /v1/devices/%ff HTTP/1.1', bearer())],
    ['an address that is not encoded right', 400, () => send('GET /v1/devices/%zz HTTP/1.1', bearer())],
    ['a name that is too long', 404, () => send(`GET /v1/devices/${'x'.repeat(600)} HTTP/1.1`, bearer())],
    ['what is no HTTP', 400, () => rawRequest(loopback.url, 'NONSENSE\r\n\r\n')],
    [
      'two lengths',
      400,
      () => send('POST /v1/devices HTTP/1.1', 'Content-Length: 1\r\nContent-Length: 2\r\n'),
    ],
    [
      'a length beside chunks',
      400,
      () => send('POST /v1/devices HTTP/1.1', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
    ],
    ['a header of two lines', 400, () => send('GET /v1/devices HTTP/1.1', 'X-A: b\n c: d\r\n')],
  ] as const)('%s', async (_, status, answering) => {
    const { status: given, headers, text } = await answering();
    expect(given).toBe(status);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; .*trusted-types/,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.has('access-control-allow-origin')).toBe(false);
    if (status < 400) return;
    expect(headers.get('content-type')).toContain('application/problem+json');
    const problem = problemSchema.parse(JSON.parse(text));
    expect([problem.status, problem.requestId]).toEqual([status, headers.get('x-request-id')]);
  });
});
