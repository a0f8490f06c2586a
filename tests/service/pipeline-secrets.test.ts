import { afterAll, beforeAll, expect, it } from 'vitest';
import { getPipeline, secretsOf } from '#service/pipelines/definition/pipeline-store.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
beforeAll(async () => {
  test = await startTestService({
    env: { PENSTOCK_BROKER: 'from the environment', PENSTOCK_BROKER_HOSTS: 'broker.example.com' },
  });
});
afterAll(() => test.close());

let made = 0;
const create = (config: Record<string, unknown>, type = 'mqtt') =>
  test.request('POST', '/v1/pipelines', {
    body: {
      name: `Pipeline ${++made}`,
      type,
      interval: 3_600,
      destination: 'telemetry',
      enabled: false,
      config,
    },
  });
const change = (id: string, config: Record<string, unknown>) =>
  test.request('PATCH', `/v1/pipelines/${id}`, { body: { config } });
const kept = async (id: string) => secretsOf(await getPipeline(test.service.parts.db, id));

const config = { url: 'mqtts://broker.example.com/', username: 'operator', password: 'canary' };

it('a secret is returned as ***, and stays if *** is sent back', async () => {
  const { status, body } = await create(config);
  expect(status).toBe(201);
  expect(body).toMatchObject({ state: 'paused', config: { ...config, password: '***' } });
  for (const sent of [{ password: '***' }, { topic: 'x/+' }, { url: 'mqtts://broker.example.com:8883' }]) {
    expect((await change(body.id, sent)).body.config.password).toBe('***');
    expect(await kept(body.id)).toEqual({ '/password': 'canary' });
  }
  await change(body.id, { password: 'another' });
  expect(await kept(body.id)).toEqual({ '/password': 'another' });
  const { config: last } = (await change(body.id, { password: null })).body;
  expect([last.password, await kept(body.id)]).toEqual([undefined, {}]);
});

it('a stored secret must be entered again for another address', async () => {
  const { body } = await create(config);
  for (const moved of [
    { url: 'mqtts://evil.example.com' },
    { url: 'mqtt://broker.example.com' },
    { url: 'mqtts://broker.example.com:8884', password: '***' },
  ]) {
    const refused = await change(body.id, moved);
    expect([refused.status, refused.body.errors]).toEqual([
      422,
      [expect.objectContaining({ pointer: '/config/password', code: 'secret-moved' })],
    ]);
  }
  expect((await change(body.id, { url: 'mqtts://evil.example.com', password: 'typed' })).status).toBe(200);
  expect(await kept(body.id)).toEqual({ '/password': 'typed' });
  // Nor by a way around: out to nowhere, then to another place.
  expect((await change(body.id, { url: null })).status).toBe(200);
  expect((await change(body.id, { url: 'mqtts://broker.example.com' })).status).toBe(422);
});

it('*** without a stored secret is rejected', async () => {
  const { status, body } = await create({ ...config, password: '***' });
  expect([status, body.errors[0].pointer]).toEqual([422, '/config/password']);
});

it('a secret is masked in an unknown field, and rejected if it is not text', async () => {
  const { body } = await create({ ...config, Passwort: 'canary', nested: 1 });
  expect([body.state, body.config.Passwort]).toEqual(['draft', '***']);
  expect((await create({ ...config, password: 12_345 })).body.errors[0].pointer).toBe('/config/password');
});

it('a URL with a password is rejected', async () => {
  const { status, body } = await create({ url: 'mqtt://operator:canary@broker.example.com' });
  expect([status, body.errors[0].pointer, JSON.stringify(body).includes('canary')]).toEqual([
    422,
    '/config/url',
    false,
  ]);
});

it('a reference is returned unchanged, and works only for an existing variable for this host', async () => {
  const one = await create({ ...config, password: '${env:PENSTOCK_BROKER}' });
  expect([one.body.state, one.body.config.password]).toEqual(['paused', '${env:PENSTOCK_BROKER}']);
  const missing = await create({ ...config, password: '${env:PENSTOCK_OTHER}' });
  expect(missing.body.problems).toEqual([
    {
      pointer: '/config/password',
      detail: expect.stringContaining('no environment variable PENSTOCK_OTHER'),
    },
  ]);
  const foreign = await create({ ...config, password: '${env:HOME}' });
  expect(foreign.body.problems).toEqual([
    { pointer: '/config/password', detail: expect.stringContaining('HOME cannot be used here') },
  ]);
});
