import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { scopes as allScopes, type Scope } from '#contract/scope.ts';
import { openRawStream } from './raw-stream.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService();
});
afterAll(() => test.close());

const KINDS: Record<string, Scope> = {
  device: 'devices:read',
  pipeline: 'pipelines:read',
  event: 'events:read',
  telemetry: 'telemetry:read',
};

const create = async (name: string) => (await test.request('POST', '/v1/devices', { body: { name } })).body;

const follow = async (token: string, query: string) => {
  const stream = await openRawStream({ url: test.url, token, query });
  onTestFinished(() => void stream.socket.destroy());
  return {
    ...stream,
    kinds: () => new Set([...stream.text().matchAll(/^event: (\w+)$/gm)].map(([, kind]) => kind)),
  };
};

/** Something of every kind happens to a device. */
const happen = async (device: string, pipeline: string) => {
  await test.request('POST', '/v1/telemetry', { body: { samples: [{ device, values: { temp: 1 } }] } });
  await test.request('POST', `/v1/pipelines/${pipeline}/messages?device=${device}`, { body: { temp: 2 } });
};

describe('a stream', () => {
  const ask = async (scopes: Scope[], method = 'GET') => {
    const { secret } = await test.mintKey(scopes);
    return fetch(`${test.url}/v1/stream`, { method, headers: { authorization: `Bearer ${secret}` } });
  };

  it('requires at least one read scope: 403 insufficient-scope lists them', async () => {
    const response = await ask(['devices:write', 'pipelines:write', 'telemetry:write', 'api-keys:manage']);
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain(Object.values(KINDS).join(' '));
    const problem = (await response.json()) as { code: string; errors: { detail: string }[] };
    expect(problem.code).toBe('insufficient-scope');
    expect(problem.errors.map(({ detail }) => detail)).toEqual(Object.values(KINDS));
    expect((await ask(['telemetry:write'], 'HEAD')).status).toBe(403);
  });
});

describe('each kind of frame', () => {
  it('requires its own scope', async () => {
    const device = await create('Seen by some');
    const { body: pipeline } = await test.request('POST', '/v1/pipelines', {
      body: { name: 'In', type: 'http', interval: 1, destination: 'telemetry' },
    });
    const query = `?device=${device.id}`;
    const streams = await Promise.all(
      Object.entries(KINDS).map(async ([kind, scope]) => {
        const only = await test.mintKey([scope]);
        const others = await test.mintKey(allScopes.filter((each) => each !== scope));
        return { kind, only: await follow(only.secret, query), others: await follow(others.secret, query) };
      }),
    );
    const all = await follow(test.token, query);
    await happen(device.externalId, pipeline.id);
    const kinds = new Set(Object.keys(KINDS));
    await expect.poll(all.kinds).toEqual(kinds);
    for (const { kind, only, others } of streams) {
      await expect.poll(only.kinds).toEqual(new Set([kind]));
      await expect.poll(others.kinds).toEqual(new Set([...kinds].filter((each) => each !== kind)));
    }
  });

  it('of other devices does not reach a limited key or its sessions', async () => {
    const [mine, other] = [await create('Mine'), await create('Not mine')];
    const { secret } = await test.mintKey(['devices:read', 'telemetry:read'], { devices: [mine.id] });
    const { body: session } = await test.request('POST', '/v1/sessions', {
      token: null,
      body: { token: secret },
    });
    const query = `?device=${mine.id}&device=${other.id}&seen=${other.externalId}`;
    const streams = [await follow(secret, query), await follow(session.token, query)];
    for (const device of [other, mine])
      await test.request('POST', '/v1/telemetry', {
        body: { samples: [{ device: device.externalId, values: { temp: 1 } }] },
      });
    for (const { kinds, text } of streams) {
      await expect.poll(kinds).toEqual(new Set(['device', 'telemetry']));
      expect(text()).toContain(mine.id);
      expect(text()).not.toContain(other.id);
    }
  });
});
