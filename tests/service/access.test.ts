import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { fillPath } from '#contract/endpoint.ts';
import { mintToken } from '#service/sessions/token.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const ID = '01jz3k5v8cf6n9qw2r4t7y0abd';
const DAY_MS = 86_400_000;

/** The path of an endpoint with an id that is well formed and belongs to nothing. */
const pathOf = (path: string): string => {
  const prefix = path.includes('/pipelines/') ? 'pip' : path.includes('/api-keys/') ? 'key' : 'dev';
  return fillPath(path, { id: `${prefix}_${ID}`, externalId: 'nobody', metric: 'nothing' });
};

let clockMs = Date.now();
let test: TestService;
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
});
afterAll(() => test.close());

const guarded = endpoints.filter(({ scope }) => scope !== 'none');

describe.each(guarded.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_, endpoint) => {
    const ask = (token: string | null) => test.request(endpoint.method, pathOf(endpoint.path), { token });

    it('refuses who brings no token', async () => {
      const { status, body, headers } = await ask(null);
      expect([status, body.code]).toEqual([401, 'token-missing']);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(headers.get('content-type')).toContain('application/problem+json');
    });

    if (endpoint.scope === 'any') return;
    it('refuses a key that holds every scope but its own, and names it', async () => {
      const others = endpoints.map(({ scope }) => scope).filter((scope) => scope !== endpoint.scope);
      const scopes = [...new Set(others)].filter((scope) => scope !== 'any' && scope !== 'none');
      const { secret } = await test.mintKey(scopes);
      const { status, body } = await ask(secret);
      expect([status, body.code]).toEqual([403, 'insufficient-scope']);
      expect(body.detail).toContain(endpoint.scope);
    });
  },
);

describe('a token', () => {
  const whoAmI = (token: string | null) => test.request('GET', '/v1/session', { token });

  it('that was mistyped is invalid, and the answer says so', async () => {
    const { status, body, headers } = await whoAmI(`${test.token.slice(0, -1)}x`);
    expect([status, body.code]).toEqual([401, 'token-invalid']);
    expect(headers.get('www-authenticate')).toContain('invalid_token');
  });

  it('that is well formed but unknown is invalid', async () => {
    expect((await whoAmI(mintToken('key').token)).body.code).toBe('token-invalid');
  });

  it('past its time has expired', async () => {
    const expiresAt = new Date(clockMs + DAY_MS).toISOString();
    const { secret } = await test.mintKey(['devices:read'], { expiresAt });
    expect((await whoAmI(secret)).status).toBe(200);
    clockMs += DAY_MS;
    const { status, body } = await whoAmI(secret);
    clockMs -= DAY_MS;
    expect([status, body.code]).toEqual([401, 'token-expired']);
  });

  it('that was revoked is refused from the next request on, and so are its sessions', async () => {
    const { id, secret } = await test.mintKey(['devices:read']);
    const { body: session } = await test.request('POST', '/v1/sessions', {
      token: null,
      body: { token: secret },
    });
    expect((await whoAmI(session.token)).body.key.id).toBe(id);
    expect((await test.request('DELETE', `/v1/api-keys/${id}`)).status).toBe(204);
    expect((await whoAmI(secret)).body.code).toBe('token-revoked');
    expect((await whoAmI(session.token)).status).toBe(401);
  });

  it('mints only scopes that it holds itself', async () => {
    const { secret } = await test.mintKey(['api-keys:manage', 'devices:read']);
    const { status, body } = await test.request('POST', '/v1/api-keys', {
      token: secret,
      body: { name: 'More than mine', scopes: ['devices:write'] },
    });
    expect([status, body.code]).toEqual([403, 'insufficient-scope']);
  });

  it('limited to devices sees the others as if they did not exist', async () => {
    const mine = (await test.request('POST', '/v1/devices', { body: { name: 'Mine' } })).body;
    const other = (await test.request('POST', '/v1/devices', { body: { name: 'Not mine' } })).body;
    const { secret } = await test.mintKey(['devices:read'], { devices: [mine.id] });
    const list = await test.request('GET', '/v1/devices', { token: secret });
    expect(list.body.data.map(({ id }: { id: string }) => id)).toEqual([mine.id]);
    expect((await test.request('GET', `/v1/devices/${mine.id}`, { token: secret })).status).toBe(200);
    expect((await test.request('GET', `/v1/devices/${other.id}`, { token: secret })).status).toBe(404);
  });
});

describe('a key limited to devices', () => {
  it('learns nothing of the rest from the overview', async () => {
    const mine = (await test.request('POST', '/v1/devices', { body: { name: 'Only mine' } })).body;
    await test.request('POST', '/v1/devices', { body: { name: 'Another' } });
    const { secret } = await test.mintKey(['devices:read'], { devices: [mine.id] });
    const { body } = await test.request('GET', '/v1/overview', { token: secret });
    expect(body.devices.total).toBe(1);
    expect(body.pipelines.total + body.storage.samples + body.ingest.perMinute.length).toBe(0);
  });
});

describe('a session', () => {
  const linkToken = async (): Promise<string> => {
    const { makeSigninLink } = await import('#service/sessions/signin-link.ts');
    const link = await makeSigninLink(test.service.deps.db, test.url, clockMs);
    return link.slice(link.indexOf('=') + 1);
  };
  const open = (token: string, remember = false) =>
    test.request('POST', '/v1/sessions', { token: null, body: { token, remember } });

  it('opens by a sign-in link once, and never again', async () => {
    const token = await linkToken();
    expect((await open(token)).status).toBe(201);
    const { status, body } = await open(token);
    expect([status, body.code]).toEqual([401, 'token-expired']);
  });

  it('does not open by a link that is older than ten minutes', async () => {
    const token = await linkToken();
    clockMs += 600_001;
    const { body } = await open(token);
    clockMs -= 600_001;
    expect(body.code).toBe('token-expired');
  });

  it('ends after twelve idle hours', async () => {
    const { body: session } = await open(await linkToken());
    clockMs += 11 * 3_600_000;
    expect((await test.request('GET', '/v1/session', { token: session.token })).status).toBe(200);
    clockMs += 12 * 3_600_000;
    const { body } = await test.request('GET', '/v1/session', { token: session.token });
    clockMs -= 23 * 3_600_000;
    expect(body.code).toBe('token-expired');
  });

  it('that is remembered lives for thirty days', async () => {
    const { body: session } = await open(await linkToken(), true);
    expect(Date.parse(session.expiresAt) - clockMs).toBe(30 * DAY_MS);
  });

  it('shows as the actor of events under the label that it was given', async () => {
    const { body: session } = await open(await linkToken());
    await test.request('PATCH', '/v1/session', { token: session.token, body: { label: 'Ada' } });
    const { body: device } = await test.request('POST', '/v1/devices', {
      token: session.token,
      body: { name: 'By Ada' },
    });
    const { body: events } = await test.request('GET', `/v1/events?subject=${device.id}`);
    expect(events.data[0]).toMatchObject({ type: 'device.registered', actor: { name: 'Ada' } });
  });

  it('ends where it is signed out', async () => {
    const { body: session } = await open(await linkToken());
    expect((await test.request('DELETE', '/v1/session', { token: session.token })).status).toBe(204);
    expect((await test.request('GET', '/v1/session', { token: session.token })).status).toBe(401);
  });

  it('holds after the service was stopped and started again', async () => {
    const { body: session } = await open(await linkToken());
    await test.restart();
    expect((await test.request('GET', '/v1/session', { token: session.token })).status).toBe(200);
  });
});

describe('guessing', () => {
  it('is limited for each address, while a right token passes', async () => {
    const guesser = await startTestService();
    const guess = () => guesser.request('GET', '/v1/session', { token: mintToken('key').token });
    for (let count = 0; count < 10; count++) expect((await guess()).status).toBe(401);
    const { status, body, headers } = await guess();
    expect([status, body.code]).toEqual([429, 'quota-exceeded']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await guesser.request('GET', '/v1/session')).status).toBe(200);
    await guesser.close();
  });
});
