import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

const ALLOWED = 'https://app.example.org';

let test: TestService;
beforeAll(async () => {
  test = await startTestService({ env: { ALLOWED_ORIGINS: ALLOWED } });
});
afterAll(() => test.close());

const preflight = (origin: string) =>
  test.request('OPTIONS', '/v1/devices', {
    token: null,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    },
  });

describe('a page of another origin', () => {
  it('can call the API and read responses if allowed', async () => {
    const { status, headers } = await preflight(ALLOWED);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(ALLOWED);
    const answer = await test.request('GET', '/v1/devices', { headers: { origin: ALLOWED } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  });

  it.each([
    'https://evil.example',
    'https://app.example.org.evil.example',
    'http://app.example.org',
    'https://app.example.org:8443',
    'HTTPS://APP.EXAMPLE.ORG',
    'https://app.example.org.',
    '*',
    'null',
  ])('%s may not', async (origin) => {
    expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull();
    const answer = await test.request('GET', '/v1/devices', { headers: { origin } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'gets a preflight response that allows %s',
    async (method) => {
      const { status, headers } = await test.request('OPTIONS', '/v1/devices/dev_1', {
        token: null,
        headers: { origin: ALLOWED, 'access-control-request-method': method },
      });
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
      expect(headers.get('access-control-allow-origin')).toBe(ALLOWED);
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')).toMatch(/origin/i);
    },
  );

  it('can read errors and streams if allowed', async () => {
    const headers = { origin: ALLOWED };
    for (const path of ['/v1/nothing', '/v1/devices/dev_1', '/v1/devices?limit=0']) {
      const answer = await test.request('GET', path, { headers });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('access-control-allow-origin')).toBe(ALLOWED);
    }
    const stop = new AbortController();
    const stream = await fetch(`${test.url}/v1/stream`, {
      headers: { ...headers, authorization: `Bearer ${test.token}` },
      signal: stop.signal,
    });
    expect(stream.headers.get('access-control-allow-origin')).toBe(ALLOWED);
    expect(stream.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    stop.abort();
  });

  it('is not allowed by default', async () => {
    const strict = await startTestService();
    const answer = await strict.request('GET', '/v1/devices', { headers: { origin: ALLOWED } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    await strict.close();
  });
});
