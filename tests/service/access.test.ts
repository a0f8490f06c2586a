import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointShape } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { deviceScopes, readScopes, scopes, type Scope } from '#contract/scope.ts';
import { sessionsApi } from '#contract/sessions.ts';
import { makeSigninLink } from '#service/access/signin-link.ts';
import { mintToken } from '#service/access/token.ts';
import {
  createAsker,
  guarded,
  kindOfId,
  nameOf,
  problemTypeOf,
  takesDevice,
  type Asking,
} from './access-matrix.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UNKNOWN = '01jz3k5v8cf6n9qw2r4t7y0abd';

let clockMs = Date.now();
let test: TestService;
let asker: Awaited<ReturnType<typeof createAsker>>;
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
  asker = await createAsker(test);
});
afterAll(async () => {
  await asker.close();
  await test.close();
});

const linkToken = async (): Promise<string> => {
  const link = await makeSigninLink(test.service.parts.db, test.url, clockMs);
  return link.slice(link.indexOf('=') + 1);
};
const open = (token: string, remember = false) =>
  test.request('POST', '/v1/sessions', { token: null, body: { token, remember } });
const openedBy = async (token: string): Promise<string> => (await open(token)).body.token;
const whoAmI = (token: string) => asker.ask(sessionsApi.get, { token });
const revoke = (id: string) => test.request('DELETE', `/v1/api-keys/${id}`);

/** Every kind of invalid token, with its problem code. */
const badTokens = async (): Promise<[string, string | null, string][]> => {
  const [expiring, rotated, revoked, lost] = [
    await test.mintKey([...scopes], { expiresAt: new Date(clockMs + HOUR_MS).toISOString() }),
    await test.mintKey([...scopes]),
    await test.mintKey([...scopes]),
    await test.mintKey([...scopes]),
  ];
  const { secret: good } = await test.mintKey([...scopes]);
  const [ofExpiring, ofRevoked, signedOut] = [
    await openedBy(expiring.secret),
    await openedBy(revoked.secret),
    await openedBy(good),
  ];
  const [unused, used] = [await linkToken(), await linkToken()];
  const idle = await openedBy(used);
  await test.request('DELETE', '/v1/session', { token: signedOut });
  await test.request('POST', `/v1/api-keys/${rotated.id}/rotate`, { body: { overlapSeconds: 60 } });
  await revoke(revoked.id);
  await revoke(lost.id);
  clockMs += 13 * HOUR_MS;
  // The clock has gone on: the operator comes back.
  test.token = await openedBy(await linkToken());
  return [
    ['none', null, 'token-missing'],
    ['empty', '', 'token-invalid'],
    ['of another service', 'ghp_0123456789abcdefghijABCDEFGHIJ012345', 'token-invalid'],
    ['mistyped', `${good.slice(0, -1)}${good.endsWith('0') ? '1' : '0'}`, 'token-invalid'],
    ['an unknown key', mintToken('key').token, 'token-invalid'],
    ['an unknown session', mintToken('session').token, 'token-invalid'],
    ['an unused sign-in link', unused, 'token-invalid'],
    ['a used sign-in link', used, 'token-invalid'],
    ['a key under the name of a session', good.replace('_key_', '_session_'), 'token-invalid'],
    ['an expired key', expiring.secret, 'token-expired'],
    ['a rotated key after its overlap', rotated.secret, 'token-expired'],
    ['a revoked key', revoked.secret, 'token-revoked'],
    ['a revoked key that was never used', lost.secret, 'token-revoked'],
    ['a session of an expired key', ofExpiring, 'token-expired'],
    ['a session of a revoked key', ofRevoked, 'token-invalid'],
    ['a session after twelve idle hours', idle, 'token-expired'],
    ['a session that was signed out', signedOut, 'token-invalid'],
  ];
};

type Named = { parameter?: string };

const CANARY = 'canary';
let canaries = 0;

/** Two devices with telemetry, and a key limited to the first. All texts of the second contain `canary`. */
const limitedKey = async () => {
  const mine = (await test.request('POST', '/v1/devices', { body: { name: 'Mine' } })).body;
  const body = {
    name: `${CANARY} name`,
    externalId: `${CANARY}-external-${(canaries += 1)}`,
    type: `${CANARY} type`,
    tags: { [`${CANARY}-tag`]: `${CANARY} tag` },
  };
  const foreign = (await test.request('POST', '/v1/devices', { body })).body;
  const samples = [
    { device: mine.id, values: { own: 1 } },
    { device: foreign.id, values: { [`${CANARY}-metric`]: `${CANARY} value` } },
  ];
  await test.request('POST', '/v1/telemetry', { body: { samples } });
  const { secret } = await test.mintKey([...deviceScopes], { devices: [mine.id] });
  return { mine, foreign, secret };
};

/** Of an id: the same answer for another id of its kind, with neither the id nor the request's own. */
const withoutIds = (text: string): string => text.replace(/dev_\w{26}|req_[\w-]+/g, '***');

describe('for every endpoint and token', () => {
  const one: Partial<Record<Scope, string>> = {};
  let bad: Awaited<ReturnType<typeof badTokens>>;
  let limited: Awaited<ReturnType<typeof limitedKey>>;
  const gone = new Map<string, string>();

  /** Creates and deletes a resource, by ID prefix. Omits resources that are only marked as deleted. */
  const makeAndDelete = async (remove: EndpointShape) => {
    const collection = remove.path.replace(/\/\{id\}$/, '');
    const create = endpoints.find(({ method, path }) => method === 'POST' && path === collection);
    const get = endpoints.find(({ method, path }) => method === 'GET' && path === remove.path);
    const { id } = (
      await asker.ask(create!, { fields: collection === '/v1/networks' ? {} : { name: 'Gone' } })
    ).body;
    expect((await asker.ask(remove, { params: { id } })).status).toBe(204);
    if ((await asker.ask(get!, { params: { id } })).status === 404) gone.set(kindOfId(remove)!, id);
  };

  beforeAll(async () => {
    bad = await badTokens();
    limited = await limitedKey();
    for (const scope of scopes) one[scope] = (await test.mintKey([scope])).secret;
    for (const endpoint of endpoints)
      if (endpoint.method === 'DELETE' && endpoint.path.endsWith('/{id}')) await makeAndDelete(endpoint);
  });

  it('has a resource of each kind to delete', () => {
    expect([...gone.keys()]).toEqual(expect.arrayContaining(['dev', 'pip']));
  });

  const named = (of: readonly EndpointShape[]) => of.map((endpoint) => [nameOf(endpoint), endpoint] as const);
  const isForLimited = ({ scope }: EndpointShape) =>
    scope === 'any' || scope === 'any-read' || deviceScopes.some((own) => own === scope);

  describe.each(named(guarded))('%s', (_, endpoint) => {
    it('accepts exactly its scope, and otherwise names the missing scope', async () => {
      const answers = await Promise.all(
        scopes.map(async (scope) => {
          const { status, body } = await asker.ask(endpoint, { token: one[scope]! });
          expect([401, 500]).not.toContain(status);
          const missing = (body.errors ?? []).find(({ parameter }: Named) => parameter === 'Authorization');
          return missing === undefined ? [scope] : [scope, status, body.code, missing.detail];
        }),
      );
      const { scope: needed, alsoScope } = endpoint;
      const missingOf = (scope: Scope) => {
        if (needed === 'any') return undefined;
        if (needed === 'any-read') return readScopes.includes(scope) ? undefined : readScopes[0];
        return needed === scope ? alsoScope : needed;
      };
      expect(answers).toEqual(
        scopes.map((scope) => {
          const missing = missingOf(scope);
          return missing === undefined ? [scope] : [scope, 403, 'insufficient-scope', missing];
        }),
      );
    });

    it('rejects every invalid token with the reason', async () => {
      const found = await Promise.all(
        bad.map(async ([what, token]) => {
          const { status, headers, body } = await asker.ask(endpoint, { token });
          expect(headers['content-type']).toContain(problemTypeOf(endpoint));
          expect(headers['www-authenticate']).toContain('Bearer');
          return [what, status, body.code];
        }),
      );
      expect(found).toEqual(bad.map(([what, , code]) => [what, 401, code]));
    });
  });

  it.each(named(guarded.filter(({ method }) => method === 'GET')))(
    '%s refuses HEAD without a token too',
    async (_, endpoint) => {
      expect((await asker.ask(endpoint, { token: null, method: 'HEAD' })).status).toBe(401);
    },
  );

  it.each(named(guarded.filter((endpoint) => kindOfId(endpoint) !== undefined)))(
    '%s knows nothing of an id that belongs to nothing, nor to what was deleted',
    async (_, endpoint) => {
      const kind = kindOfId(endpoint)!;
      const ids = [
        `${kind}_${UNKNOWN}`,
        ...(endpoint.path.endsWith('/restore') ? [] : [gone.get(kind) ?? []]),
      ];
      for (const id of ids.flat()) {
        const { status, body } = await asker.ask(endpoint, { params: { id } });
        expect([status, body.code, body.detail]).toEqual([
          404,
          'not-found',
          expect.stringMatching(/ was not found\./),
        ]);
      }
    },
  );

  it.each(named(guarded.filter((endpoint) => !isForLimited(endpoint))))(
    '%s is not for a key that is limited to devices',
    async (_, endpoint) => {
      expect((await asker.ask(endpoint, { token: limited.secret })).body.code).toBe('insufficient-scope');
    },
  );

  it.each(named(guarded.filter(isForLimited)))(
    '%s tells a key that is limited to devices of those alone',
    async (_, endpoint) => {
      const { secret: token, mine, foreign } = limited;
      const of = (id: string): Asking => ({
        token,
        ...(kindOfId(endpoint) === 'dev' ? { params: { id } } : {}),
        ...(takesDevice(endpoint) ? { query: { device: id } } : {}),
      });
      const own = await asker.ask(endpoint, of(mine.id));
      expect(own.text).not.toContain(CANARY);
      expect(own.text).not.toContain(foreign.id);
      const [other, nobody] = [
        await asker.ask(endpoint, of(foreign.id)),
        await asker.ask(endpoint, of(`dev_${UNKNOWN}`)),
      ];
      expect([other.status, withoutIds(other.text)]).toEqual([nobody.status, withoutIds(nobody.text)]);
    },
  );

  it.each(
    endpoints
      .filter(({ scope }) => scope === 'none')
      .map((endpoint) => [nameOf(endpoint), endpoint] as const),
  )('%s takes who brings no token, or a wrong one', async (_, endpoint) => {
    for (const [, token] of bad) {
      const { body } = await asker.ask(endpoint, { token });
      // POST /v1/sessions has the token in its body, not in a header.
      expect(body.code).not.toBe('token-missing');
    }
  });
});

describe('a token', () => {
  it('is invalid if mistyped, and the response says so', async () => {
    const end = test.token.endsWith('x') ? 'y' : 'x';
    const { status, body, headers } = await whoAmI(test.token.slice(0, -1) + end);
    expect([status, body.code]).toEqual([401, 'token-invalid']);
    expect(headers['www-authenticate']).toContain('invalid_token');
  });

  it('is invalid if well-formed but unknown', async () => {
    expect((await whoAmI(mintToken('key').token)).body.code).toBe('token-invalid');
  });

  it('expires', async () => {
    const expiresAt = new Date(clockMs + DAY_MS).toISOString();
    const { secret } = await test.mintKey(['devices:read'], { expiresAt });
    expect((await whoAmI(secret)).status).toBe(200);
    clockMs += DAY_MS;
    const { status, body } = await whoAmI(secret);
    clockMs -= DAY_MS;
    expect([status, body.code]).toEqual([401, 'token-expired']);
  });

  it('is rejected from the next request after it is revoked, with its sessions', async () => {
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

  it('grants only scopes that it has itself', async () => {
    const { secret } = await test.mintKey(['api-keys:manage', 'devices:read']);
    const { status, body } = await test.request('POST', '/v1/api-keys', {
      token: secret,
      body: { name: 'More than mine', scopes: ['devices:write'] },
    });
    expect([status, body.code]).toEqual([403, 'insufficient-scope']);
  });

  describe('that expires', () => {
    const HOUR_MS = 3_600_000;
    const create = (token: string, body: Record<string, unknown>) =>
      test.request('POST', '/v1/api-keys', {
        token,
        body: { name: 'Minted', scopes: ['devices:read'], ...body },
      });
    const rotate = (token: string, id: string) =>
      test.request('POST', `/v1/api-keys/${id}/rotate`, { token, body: {} });
    const inHours = (hours: number) => new Date(clockMs + hours * HOUR_MS).toISOString();
    const openSession = async (secret: string): Promise<string> =>
      (await test.request('POST', '/v1/sessions', { token: null, body: { token: secret } })).body.token;

    it('creates no key that outlives it, and neither do its sessions', async () => {
      const expiresAt = inHours(1);
      const { secret } = await test.mintKey(['api-keys:manage', 'devices:read'], { expiresAt });
      for (const token of [secret, await openSession(secret)]) {
        for (const later of [null, inHours(2)]) {
          const { status, body } = await create(token, { expiresAt: later });
          expect([status, body.errors]).toEqual([
            422,
            [
              {
                pointer: '/expiresAt',
                code: 'outlives-maker',
                detail: `Must be no later than ${expiresAt}, when the key that you use expires.`,
              },
            ],
          ]);
        }
        expect((await create(token, {})).body.expiresAt).toBe(expiresAt);
        expect((await create(token, { expiresAt })).body.expiresAt).toBe(expiresAt);
        expect((await create(token, { expiresAt: inHours(0.5) })).status).toBe(201);
        expect((await whoAmI(token)).body.keysExpireBy).toBe(expiresAt);
      }
      expect((await create(test.token, { expiresAt: null })).body.expiresAt).toBeNull();
      expect((await whoAmI(test.token)).body.keysExpireBy).toBeNull();
    });

    it('rotates no key beyond its own expiry, and shortens none', async () => {
      const scopes = ['api-keys:manage', 'devices:read'] as const;
      const maker = await test.mintKey([...scopes], { expiresAt: inHours(2) });
      const before = await test.mintKey(['devices:read'], { expiresAt: inHours(1) });
      clockMs += 0.5 * HOUR_MS;
      const made = await rotate(maker.secret, before.id);
      expect([made.status, Date.parse(made.body.expiresAt) - clockMs]).toEqual([201, HOUR_MS]);
      clockMs += 0.75 * HOUR_MS;
      const again = await rotate(maker.secret, made.body.id);
      expect(Date.parse(again.body.expiresAt) - clockMs).toBe(0.75 * HOUR_MS);
      const itself = await rotate(maker.secret, maker.id);
      expect([itself.status, Date.parse(itself.body.expiresAt) - clockMs]).toEqual([201, 0.75 * HOUR_MS]);
      for (const expiresAt of [null, inHours(30)]) {
        const { id } = await test.mintKey(['devices:read'], { expiresAt });
        const { status, body } = await rotate(itself.body.secret, id);
        expect([status, body.code]).toEqual([403, 'insufficient-scope']);
        expect(body.detail).toContain('the key that you use expires');
        expect((await test.request('GET', `/v1/api-keys/${id}`)).body.expiresAt).toBe(expiresAt);
      }
      clockMs -= 1.25 * HOUR_MS;
    });
  });

  it('limited to devices treats other devices as missing', async () => {
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
  it('writes only to its own devices and leaves others unchanged', async () => {
    const { mine, foreign, secret: token } = await limitedKey();
    const samples = [foreign.id, foreign.externalId, 'nobody', mine.id].map((device) => ({
      device,
      values: { level: 7 },
    }));
    const write = await test.request('POST', '/v1/telemetry', { token, body: { samples } });
    expect(write.body).toMatchObject({ accepted: 1, rejected: 3 });
    expect(write.body.errors.map(({ code }: { code: string }) => code)).toEqual(
      Array.from({ length: 3 }, () => 'unknown-device'),
    );
    const { id } = (
      await test.request('POST', '/v1/pipelines', {
        body: { name: 'Hooks', type: 'http', interval: 1, destination: 'telemetry' },
      })
    ).body;
    const send = (path: string, body: unknown) =>
      test.request('POST', `/v1/pipelines/${id}/messages${path}`, { token, body });
    expect((await send('', { samples })).body).toMatchObject({ received: 4, rejected: 3 });
    expect((await send(`?device=${foreign.externalId}`, { level: 8 })).body).toMatchObject({
      received: 1,
      rejected: 1,
    });
    const { body } = await test.request('GET', `/v1/devices/${foreign.id}/metrics`);
    expect(body.data.map(({ metric }: { metric: string }) => metric)).toEqual([`${CANARY}-metric`]);
    expect((await test.request('GET', '/v1/devices?q=nobody')).body.data).toEqual([]);
  });

  it('gets the same response for other devices as for missing ones', async () => {
    const { mine, foreign, secret: token } = await limitedKey();
    const query = (body: unknown) => test.request('POST', '/v1/telemetry/query', { token, body });
    const all = await query({});
    expect(all.body.series.map(({ device }: { device: string }) => device)).toEqual([mine.id]);
    expect((await query({ tags: { [`${CANARY}-tag`]: `${CANARY} tag` } })).body.series).toEqual([]);
    for (const name of [foreign.id, foreign.externalId])
      expect((await query({ devices: [mine.id, name] })).body.code).toBe('not-found');
  });

  it('gets only frames of its own devices from the stream', async () => {
    const { mine, foreign, secret } = await limitedKey();
    const stop = new AbortController();
    const path = `/v1/stream?device=${mine.id}&device=${foreign.id}`;
    const headers = { authorization: `Bearer ${secret}` };
    const { body } = await fetch(`${test.url}${path}`, { headers, signal: stop.signal });
    const chunks = body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    const samples = [foreign, mine].map(({ id }) => ({ device: id, values: { level: 7 } }));
    await test.request('POST', '/v1/telemetry', { body: { samples } });
    let received = '';
    while (!received.includes('event: telemetry')) {
      const { done, value } = await chunks.next();
      if (done === true) throw new Error(`The stream ended after ${received}`);
      received += value;
    }
    stop.abort();
    expect(received).toContain(mine.id);
    expect(received).not.toContain(foreign.id);
    expect(received).not.toContain('event: event');
  });

  it('opens sessions with the same limit', async () => {
    const { foreign, mine, secret } = await limitedKey();
    const token = await openedBy(secret);
    expect((await whoAmI(token)).body.devices).toEqual([mine.id]);
    expect((await test.request('GET', `/v1/devices/${foreign.id}`, { token })).status).toBe(404);
    expect((await test.request('POST', '/v1/devices', { token, body: { name: 'x' } })).status).toBe(403);
  });

  it('loses access to a deleted device', async () => {
    const { mine, secret: token } = await limitedKey();
    await test.request('DELETE', `/v1/devices/${mine.id}`);
    expect((await test.request('GET', `/v1/devices/${mine.id}`, { token })).status).toBe(404);
    expect((await test.request('GET', '/v1/devices', { token })).body.data).toEqual([]);
    expect((await test.request('GET', '/v1/telemetry', { token })).body.series).toEqual([]);
    const body = { samples: [{ device: mine.id, values: { own: 2 } }] };
    expect((await test.request('POST', '/v1/telemetry', { token, body })).status).toBe(422);
  });

  it('gets only its own devices in the overview', async () => {
    const mine = (await test.request('POST', '/v1/devices', { body: { name: 'Only mine' } })).body;
    await test.request('POST', '/v1/devices', { body: { name: 'Another' } });
    const { secret } = await test.mintKey(['devices:read'], { devices: [mine.id] });
    const { body } = await test.request('GET', '/v1/overview', { token: secret });
    expect(body.devices.total).toBe(1);
    expect(body).toMatchObject({ pipelines: null, ingest: null, storage: null });
  });
});
