import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '#service/config.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const PAGE = `<meta name="base-path" content="" />
<link rel="icon" href="./mark.svg" /><script type="module" src="./assets/main-1a2b.js"></script>
<a href="https://penstock.example">.</a>`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-dashboard-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'mark.svg'), '<svg/>');
  writeFileSync(join(folder, 'assets/main-1a2b.js'), 'main()');
});
afterAll(() => rmSync(folder, { recursive: true }));

const start = async (path: string, dashboardDir = folder) => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const service = await startTestService({
    env: { PORT: String(port), BASE_URL: `${origin}${path}` },
    dashboardDir,
  });
  return { service, origin };
};

describe('with a BASE_URL that has a path', () => {
  let service: TestService;
  let origin: string;
  beforeAll(async () => {
    ({ service, origin } = await start('/iot/penstock/'));
  });
  afterAll(() => service.close());
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${origin}${path}`, { headers });

  it.each(['/iot/penstock', ''])(
    'the API answers below %o, whether a proxy keeps or strips the path',
    async (path) => {
      expect(await (await get(`${path}/v1/health`)).json()).toMatchObject({ status: 'ok' });
      const answer = await fetch(`${origin}${path}/v1/devices`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: `Pump ${path}` }),
      });
      const { id } = (await answer.json()) as { id: string };
      expect([answer.status, answer.headers.get('location')]).toEqual([
        201,
        `/iot/penstock/v1/devices/${id}`,
      ]);
      expect((await get(`${path}/v1/nothing`)).status).toBe(404);
      expect((await get(`${path}/v1/session`)).status).toBe(401);
    },
  );

  it.each([
    '/iot/penstock',
    '/iot/penstock/',
    '/iot/penstock/devices/x?tab=1',
    '/',
    '/devices/x',
    '/index.html',
  ])('the page at %s refers to its files by absolute paths', async (path) => {
    const answer = await get(path);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(await answer.text()).toBe(
      PAGE.replace('content=""', 'content="/iot/penstock"').replaceAll('"./', '"/iot/penstock/'),
    );
    const again = await get(path, { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('files are served with their cache lifetime', async () => {
    const script = await get('/iot/penstock/assets/main-1a2b.js');
    expect([script.status, script.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect((await get('/iot/penstock/mark.svg')).status).toBe(200);
    expect((await get('/iot/penstock/assets/none.js')).status).toBe(404);
    expect((await get('/iot/penstocks/v1/health')).status).toBe(200);
    expect(await (await get('/iot/penstocks/v1/health')).text()).toContain('<meta');
  });

  it('links, the API document and the connection details contain the path', async () => {
    const base = `${origin}/iot/penstock`;
    expect(service.service.url).toBe(base);
    expect(service.service.signinLink).toMatch(`${base}/#signin=pen_signin_`);
    const document = (await (await get('/iot/penstock/v1/openapi.json')).json()) as { servers: unknown };
    expect(document.servers).toMatchObject([{ url: base }]);
    expect((await service.request('GET', '/v1/connection')).body.baseUrl).toBe(base);
  });
});

it('without a path, the page refers to its files from the root', async () => {
  const { service, origin } = await start('');
  onTestFinished(() => service.close());
  expect(await (await fetch(`${origin}/devices/x`)).text()).toBe(PAGE.replaceAll('"./', '"/'));
});

it('a running service keeps the dashboard of its start when another one is built', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'penstock-dist-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const link = join(parent, 'dashboard');
  symlinkSync(folder, link);
  const { service, origin } = await start('', link);
  onTestFinished(() => service.close());
  mkdirSync(join(parent, 'next'));
  symlinkSync('next', join(parent, 'link-of-next'));
  renameSync(join(parent, 'link-of-next'), link);
  expect((await fetch(`${origin}/assets/main-1a2b.js`)).status).toBe(200);
});

it.each([
  'https://example.com/v1',
  'https://example.com/v1/penstock',
  'https://example.com/assets',
  'https://example.com/a b',
  'https://example.com/"x"',
  'https://example.com//x',
  'https://example.com/penstock?x=1',
  'https://example.com/#x',
])('BASE_URL=%s stops the start', (address) => {
  expect(() => readConfig({ BASE_URL: address })).toThrow(
    /^BASE_URL must be the http or https address .*\(it is ".*"\)/,
  );
});
