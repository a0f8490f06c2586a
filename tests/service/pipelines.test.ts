import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const create = (body: Record<string, unknown>) =>
  service.request('POST', '/v1/pipelines', {
    body: { type: 'http', interval: 10, destination: 'telemetry', ...body },
  });
const change = (id: string, body: unknown, headers = {}) =>
  service.request('PATCH', `/v1/pipelines/${id}`, { body, headers });

describe('creating a pipeline', () => {
  test('requires only name, type, interval and destination', async () => {
    const { status, headers, body } = await service.request('POST', '/v1/pipelines', {
      body: { name: 'Boiler room', type: 'http', interval: 10, destination: 'telemetry' },
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/v1/pipelines/${body.id}`);
    expect(headers.get('etag')).toBe('"r1"');
    expect(body).toMatchObject({
      name: 'Boiler room',
      type: 'http',
      interval: 10,
      destination: 'telemetry',
      enabled: true,
      config: {},
      mapping: { format: 'auto' },
      state: 'running',
      problems: [],
      ledger: { received: 0, delivered: 0, pending: 0, rejected: 0 },
      rate: { perSecond: 0 },
      lastMessageAt: null,
      lastError: null,
    });
  });

  test('accepts type and destination in any case', async () => {
    const { body } = await create({ name: 'Shouting', type: 'HTTP', destination: 'Telemetry' });
    expect(body).toMatchObject({ type: 'http', destination: 'telemetry', state: 'running' });
  });

  test('creates a draft with an unknown type or destination, and says what to do', async () => {
    const { status, body } = await create({ name: 'Far away', type: 'opc-ua', destination: 'Lake' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ type: 'opc-ua', destination: 'Lake', state: 'draft' });
    expect(body.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/type',
      '/destination',
    ]);
  });

  test('creates a draft with an invalid config, and lists each error', async () => {
    const { body } = await create({
      name: 'Wrong',
      type: 'mqtt',
      config: { topic: 'a/b+/c', device: 'no spaces', colour: 1 },
    });
    expect(body.state).toBe('draft');
    expect(body.problems.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual([
      '/config/colour',
      '/config/device',
      '/config/topic',
    ]);
  });

  test.each([
    ['/name', { name: '' }],
    ['/name', { name: 'x'.repeat(101) }],
    ['/interval', { name: 'n', interval: 0 }],
    ['/interval', { name: 'n', interval: 86_401 }],
    ['/interval', { name: 'n', interval: 1.5 }],
    ['/colour', { name: 'n', colour: 'red' }],
  ])('rejects an error at %s', async (pointer, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  test('rejects a name that differs from another only in case', async () => {
    await create({ name: 'Öltank' });
    const { status, body } = await create({ name: 'öLTANK' });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'conflict', errors: [{ pointer: '/name' }] });
  });

  test('happens once for an Idempotency-Key', async () => {
    const send = () =>
      service.request('POST', '/v1/pipelines', {
        body: { name: 'Once', type: 'http', interval: 10, destination: 'telemetry' },
        headers: { 'idempotency-key': 'once-1' },
      });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
  });
});

describe('changing a pipeline', () => {
  test('pauses and resumes it, with an event for each', async () => {
    const { body } = await create({ name: 'Stop and go' });
    expect((await change(body.id, { enabled: false })).body).toMatchObject({
      enabled: false,
      state: 'paused',
    });
    expect((await change(body.id, { enabled: true })).body).toMatchObject({
      enabled: true,
      state: 'running',
    });
    expect((await change(body.id, { enabled: true })).status).toBe(200);
    const events = await service.request('GET', `/v1/events?subject=${body.id}`);
    expect(
      events.body.data.map((event: { type: string; data: unknown }) => [event.type, event.data]),
    ).toEqual([
      ['pipeline.updated', { fields: [] }],
      ['pipeline.state-changed', { from: 'paused', to: 'running', reason: null }],
      ['pipeline.updated', { fields: ['enabled'], enabled: true }],
      ['pipeline.state-changed', { from: 'running', to: 'paused', reason: null }],
      ['pipeline.updated', { fields: ['enabled'], enabled: false }],
      ['pipeline.created', {}],
    ]);
  });

  test('merges the config (RFC 7396): null removes a field, the rest stays', async () => {
    const { body } = await create({ name: 'Merged', config: { device: 'a', onUnknownDevice: 'reject' } });
    const changed = await change(body.id, { config: { device: null } });
    expect(changed.body.config).toEqual({ onUnknownDevice: 'reject' });
  });

  test('completes a draft', async () => {
    const { body } = await create({ name: 'Mended', type: 'htpt' });
    expect(body.state).toBe('draft');
    const changed = await change(body.id, { type: 'http' });
    expect(changed.body).toMatchObject({ state: 'running', problems: [] });
  });

  test('rejects a change to an outdated revision without any effect', async () => {
    const { body, headers } = await create({ name: 'Revised' });
    const tag = headers.get('etag') ?? '';
    const first = await change(body.id, { interval: 20 }, { 'if-match': tag });
    expect(first.headers.get('etag')).toBe('"r2"');
    const second = await change(body.id, { interval: 30 }, { 'if-match': tag });
    expect(second).toMatchObject({ status: 412, body: { code: 'precondition-failed' } });
    expect((await service.request('GET', `/v1/pipelines/${body.id}`)).body.interval).toBe(20);
  });

  test('can change the case of its name, but not use the name of another', async () => {
    const { body } = await create({ name: 'Mine' });
    await create({ name: 'Yours' });
    expect((await change(body.id, { name: 'MINE' })).status).toBe(200);
    expect((await change(body.id, { name: 'yours' })).status).toBe(409);
  });
});

test('deleting removes it, with an event that still names it', async () => {
  const { body } = await create({ name: 'Short-lived' });
  expect((await service.request('DELETE', `/v1/pipelines/${body.id}`)).status).toBe(204);
  expect((await service.request('GET', `/v1/pipelines/${body.id}`)).status).toBe(404);
  const events = await service.request('GET', `/v1/events?subject=${body.id}&type=pipeline.deleted`);
  expect(events.body.data).toMatchObject([{ subject: { name: 'Short-lived' } }]);
});

test('the list sorts, filters and pages', async () => {
  for (const name of ['List c', 'list B', 'LIST a']) await create({ name, enabled: name !== 'list B' });
  const names = async (query: string) => {
    const { body } = await service.request('GET', `/v1/pipelines?q=liST%20&${query}`);
    return { names: body.data.map(({ name }: { name: string }) => name), next: body.nextCursor };
  };
  expect(await names('')).toEqual({ names: ['LIST a', 'list B', 'List c'], next: null });
  expect((await names('sort=-name')).names).toEqual(['List c', 'list B', 'LIST a']);
  expect((await names('state=paused')).names).toEqual(['list B']);
  const first = await names('limit=2');
  expect((await names(`limit=2&cursor=${first.next}`)).names).toEqual(['List c']);
});

test('types have labels and a JSON Schema of their config', async () => {
  const { body } = await service.request('GET', '/v1/pipeline-types');
  const kinds = body.data.map(({ type, kind }: { type: string; kind: string }) => `${type}: ${kind}`);
  expect(kinds).toEqual(
    expect.arrayContaining(['mqtt: pushed', 'http: pushed', 'host: polled', 'http-poll: polled']),
  );
  for (const { label, description, configSchema } of body.data) {
    expect(label).not.toBe('');
    expect(description).not.toBe('');
    expect(configSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
  expect(body.data[0].configSchema.properties.topic).toMatchObject({ default: 'v1/devices/+/telemetry' });
});

test('states survive a restart', async () => {
  const running = await create({ name: 'Runs on' });
  const paused = await create({ name: 'Stays paused', enabled: false });
  await service.restart();
  const stateOf = async (id: string) => (await service.request('GET', `/v1/pipelines/${id}`)).body.state;
  expect(await stateOf(running.body.id)).toBe('running');
  expect(await stateOf(paused.body.id)).toBe('paused');
  const sent = await service.request('POST', `/v1/pipelines/${running.body.id}/messages?device=d`, {
    body: { t: 1 },
  });
  expect(sent.status).toBe(202);
});

test('types of pipelines and destinations are described in one line of a phone', async () => {
  const types = await Promise.all(
    ['pipeline', 'destination'].map((kind) => service.request('GET', `/v1/${kind}-types`)),
  );
  const described: string[] = types.flatMap(({ body }) => body.data).map((type) => type.description);
  expect(described.filter((text) => text.length > 40)).toEqual([]);
});
