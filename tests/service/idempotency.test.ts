import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '#contract/endpoints.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
let clockMs = Date.now();
beforeAll(async () => {
  test = await startTestService({ now: () => clockMs });
});
afterAll(() => test.close());

const create = (path: string, body: unknown, key: string, token = test.token) =>
  test.request('POST', path, { body, token, headers: { 'idempotency-key': key } });

const bodies: Record<string, () => unknown> = {
  '/v1/devices': () => ({ name: 'Once' }),
  '/v1/pipelines': () => ({ name: 'Once', type: 'http', interval: 10, destination: 'telemetry' }),
  '/v1/destinations': () => ({ name: 'Once', type: 'mqtt', url: 'mqtt://broker.example.com' }),
  '/v1/webhooks': () => ({ name: 'Once', url: 'https://hooks.example.com', events: ['device.offline'] }),
  '/v1/api-keys': () => ({ name: 'Once', scopes: ['devices:read'] }),
  '/v1/networks': () => ({ network: '10.0.0.5', ports: [502] }),
};
const paths = endpoints.flatMap(({ idempotent, path }) =>
  idempotent === true && !path.includes('{') ? [path] : [],
);

describe.each(paths)('creating twice with one Idempotency-Key at %s', (path) => {
  it('creates one resource, and repeats the first response without its secret', async () => {
    const first = await create(path, bodies[path]?.(), `once at ${path}`);
    const second = await create(path, bodies[path]?.(), `once at ${path}`);
    expect(first.status).toBe(201);
    expect(second.status).toBe(201);
    const { secret, ...rest } = first.body;
    expect(second.body).toEqual(secret === undefined ? rest : { ...rest, secret: null });
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    const { data } = (await test.request('GET', path)).body;
    const isOnce = (each: { name?: string; network?: string }) =>
      each.name === 'Once' || each.network === '10.0.0.5';
    expect(data.filter(isOnce)).toHaveLength(1);
  });

  it('is rejected with another body', async () => {
    await create(path, bodies[path]?.(), `once at ${path}`);
    const { status, body } = await create(path, { name: 'Another' }, `once at ${path}`);
    expect([status, body.code]).toEqual([
      422,
      path === '/v1/devices' ? 'idempotency-key-reused' : 'validation-failed',
    ]);
  });
});

describe('an Idempotency-Key', () => {
  it('lets only one of two concurrent requests create', async () => {
    const answers = await Promise.all([1, 2].map(() => create('/v1/devices', { name: 'Racing' }, 'race')));
    expect(answers.map(({ status }) => status).toSorted()).toSatisfy(
      (statuses: number[]) => statuses[0] === 201 && (statuses[1] === 201 || statuses[1] === 409),
    );
    expect((await test.request('GET', '/v1/devices?q=racing&total=true')).body.total).toBe(1);
  });

  it('is not stored if the request failed, so that it can be corrected', async () => {
    await create('/v1/devices', { name: 'Taken', externalId: 'taken' }, 'first');
    expect((await create('/v1/devices', { name: 'B', externalId: 'taken' }, 'repaired')).status).toBe(409);
    expect((await create('/v1/devices', { name: 'B', externalId: 'free' }, 'repaired')).status).toBe(201);
  });

  it('is valid for a day', async () => {
    const { secret } = await test.mintKey(['devices:write']);
    const createDaily = () => create('/v1/devices', { name: 'Daily' }, 'daily', secret);
    await createDaily();
    expect((await createDaily()).body.externalId).toBe('daily');
    clockMs += 86_400_000;
    expect((await createDaily()).body.externalId).toBe('daily-2');
  });
});
