import { createServer, type AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './free-port.ts';
import { MASK } from '#contract/connection-fields.ts';
import { restoreConnection, secretsOf } from '#service/pipelines/definition/destination-secrets.ts';
import { getDestination, updateDestinationState } from '#service/pipelines/definition/destination-store.ts';
import { deliveryStates } from '#service/platform/storage/migrations/0021-delivery-states.ts';
import { openDestination } from '#service/pipelines/spool/open-destination.ts';
import { probeDestination } from '#service/pipelines/runner/try-destination.ts';
import { forbiddenAddresses } from './forbidden-addresses.ts';
import { isInstalled } from './installed.ts';
import { PASSWORD, startMosquitto } from './mosquitto.ts';
import { startReceiver, type Received } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const CANARY = 'canary-of-a-destination';

let test: TestService;
const logged: string[] = [];
beforeAll(async () => {
  test = await startTestService({
    env: {
      PENSTOCK_BROKER: `${CANARY}-env`,
      PENSTOCK_BROKER_HOSTS: 'broker.example.com',
      PENSTOCK_MOSQUITTO: PASSWORD,
      PENSTOCK_MOSQUITTO_HOSTS: '127.0.0.1',
      ALLOWED_NETWORKS: '127.0.0.0/8',
    },
    logTo: { write: (line) => void logged.push(line) },
  });
});
afterAll(() => test.close());

const URL_OF_BROKER = 'mqtts://broker.example.com:8883';
/** Long enough for a busy machine. */
const PATIENT = { timeout: 20_000 };
let made = 0;
const create = (fields: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  test.request('POST', '/v1/destinations', {
    body: { name: `Broker ${++made}`, type: 'mqtt', url: URL_OF_BROKER, ...fields },
    headers,
  });
const change = (id: string, body: unknown, headers: Record<string, string> = {}) =>
  test.request('PATCH', `/v1/destinations/${id}`, { body, headers });
const read = async (id: string) => (await test.request('GET', `/v1/destinations/${id}`)).body;
const remove = (id: string) => test.request('DELETE', `/v1/destinations/${id}`);
const tryOut = async (id: string) => (await test.request('POST', `/v1/destinations/${id}/test`)).body;
const builtIn = async () => (await test.request('GET', '/v1/destinations?q=telemetry')).body.data[0];
const createPipeline = async (destination: string, fields: Record<string, unknown> = {}) =>
  (
    await test.request('POST', '/v1/pipelines', {
      body: { name: `To it ${++made}`, type: 'http', interval: 10, destination, ...fields },
    })
  ).body;
const readPipeline = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
/** What happened to something, oldest first. */
const eventsOf = async (id: string) =>
  (await test.request('GET', `/v1/events?subject=${id}`)).body.data
    .toReversed()
    .map(({ type, data }: { type: string; data: unknown }) => [type, data]);
/** The URL and options that a destination is opened with, including secrets. */
const openedWith = async (id: string) => {
  const { db, config } = test.service.parts;
  const row = await getDestination(db, id);
  const kept = { url: row.url, options: JSON.parse(row.options), secrets: secretsOf(row) };
  return restoreConnection(row.type, kept, config.environment);
};
const setState = (id: string, state: string) =>
  updateDestinationState(test.service.parts.db, id, { state, last_error: 'It was away.', last_error_at: 1 });

describe('the built-in store', () => {
  it('exists exactly once, also after a restart', async () => {
    expect(await builtIn()).toMatchObject({
      name: 'telemetry',
      type: 'telemetry',
      url: null,
      state: 'healthy',
    });
    await test.restart();
    const { body } = await test.request('GET', '/v1/destinations?q=telemetry&total=true');
    expect(body.total).toBe(1);
  });

  it('cannot be edited, deleted or created again, and its name is reserved', async () => {
    const { id } = await builtIn();
    expect(await change(id, { name: 'Mine' })).toMatchObject({
      status: 409,
      body: { code: 'invalid-state' },
    });
    expect(await remove(id)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    for (const type of ['telemetry', 'Telemetry'])
      expect(await create({ type, url: null })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/type', code: 'built-in' }] },
      });
    expect(await create({ name: 'TELEMETRY' })).toMatchObject({
      status: 409,
      body: { errors: [{ pointer: '/name' }] },
    });
  });

  it('counts its pipelines and can be tested', async () => {
    const before = (await builtIn()).usedBy;
    await createPipeline('Telemetry');
    const { id, usedBy } = await builtIn();
    expect(usedBy).toBe(before + 1);
    expect(await tryOut(id)).toMatchObject({
      ok: true,
      steps: [{ step: 'destination', ok: true, detail: 'The built-in store is available.' }],
    });
  });
});

describe('creating a destination', () => {
  it('returns its location and its API model', async () => {
    const { status, headers, body } = await create({ name: 'Plant broker', type: 'MQTT' });
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([
      201,
      `/v1/destinations/${body.id}`,
      '"r1"',
    ]);
    expect(body).toMatchObject({
      name: 'Plant broker',
      type: 'mqtt',
      url: URL_OF_BROKER,
      options: {},
      state: 'healthy',
      lastError: null,
      lastDeliveredAt: null,
      usedBy: 0,
      secret: null,
    });
    const { secret: _, ...shown } = body;
    expect(await read(body.id)).toEqual(shown);
    expect(await eventsOf(body.id)).toEqual([['destination.created', { type: 'mqtt' }]]);
  });

  it('happens once for an Idempotency-Key', async () => {
    const send = () => create({ name: 'Once' }, { 'idempotency-key': 'once' });
    const [first, second] = [await send(), await send()];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
  });

  it.each([
    ['/type', 'unknown-type', { type: 'influx' }],
    ['/type', 'built-in', { type: 'telemetry' }],
    ['/url', 'missing', { url: null }],
    ['/url', 'invalid-format', { url: 'https://broker.example.com' }],
    ['/url', 'invalid-format', { url: 'broker' }],
    ['/options/colour', 'unknown-field', { options: { colour: 'red' } }],
    ['/options/topic', 'invalid-value', { options: { topic: 'a/#' } }],
    ['/options/qos', 'invalid-value', { options: { qos: 0 } }],
    ['/options/password', 'invalid-type', { options: { password: 12_345 } }],
    ['/options/password', 'secret-missing', { options: { password: MASK } }],
    ['/url', 'secret-missing', { url: `mqtt://me:${MASK}@broker.example.com` }],
    ['/options/password', 'invalid-reference', { options: { password: '${env:PENSTOCK_OTHER}' } }],
    ['/options/password', 'invalid-reference', { options: { password: '${env:HOME}' } }],
    ['/url', 'invalid-reference', { url: 'mqtt://me:${env:PENSTOCK_OTHER}@broker.example.com' }],
    ['/url', 'invalid-reference', { url: 'mqtt://me:${env:HOME}@broker.example.com' }],
    ['/url', 'invalid-reference', { url: 'mqtt://me:%24%7Benv:A%2FB%7D@broker.example.com' }],
    ['/url', 'credentials', { url: `mqtt://broker.example.com?password=${CANARY}` }],
    ['/url', 'credentials', { type: 'nats', url: `nats://${CANARY}@nats.example.com` }],
    ['/name', 'too-small', { name: ' ' }],
    ['/colour', 'unknown-field', { colour: 'red' }],
  ])('is rejected with an error at %s (%s)', async (pointer, code, fields) => {
    const { status, body } = await create(fields);
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ pointer, code })]]);
  });

  it('names the types, and the options of a type, in errors', async () => {
    expect((await create({ type: 'lake' })).body.detail).toMatch(/The types are .*mqtt/);
    expect((await create({ options: { Topic: 'x' } })).body.detail).toMatch(
      /has the options topic, qos, .*password/,
    );
  });

  it('is rejected with a name that differs only in case', async () => {
    await create({ name: 'Ölmühle' });
    for (const name of ['öLMÜHLE', 'Ölmühle'.normalize('NFD')])
      expect(await create({ name })).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });
});

describe('an address that is not public', () => {
  let closed: TestService;
  beforeAll(async () => {
    closed = await startTestService();
  });
  afterAll(() => closed.close());
  const attempt = (url: string) =>
    closed.request('POST', '/v1/destinations', { body: { name: 'Inside', type: 'mqtt', url } });

  it.each(forbiddenAddresses)('is rejected if it is written as %s', async (url) => {
    const { status, body } = await attempt(url.replace(/^http/, 'ws'));
    expect([status, body.code, body.errors]).toEqual([
      422,
      'destination-forbidden',
      [expect.objectContaining({ pointer: '/url' })],
    ]);
  });

  it.each(['127.1', '2130706433', '0x7f.1', '%31%32%37.0.0.1', '[::ffff:10.0.0.1]', 'LOCALHOST'])(
    'is rejected as %s, also for schemes other than http',
    async (host) => {
      expect((await attempt(`mqtt://${host}:1883`)).body.code).toBe('destination-forbidden');
      expect((await attempt(`mqtts://me:${CANARY}@${host}`)).body.code).toBe('destination-forbidden');
    },
  );

  it('is also rejected in a change, which leaves the destination unchanged', async () => {
    const { body } = await closed.request('POST', '/v1/destinations', {
      body: { name: 'Outside', type: 'mqtt', url: URL_OF_BROKER },
    });
    const moved = { name: 'Moved', url: 'mqtt://10.0.0.1' };
    const answer = await closed.request('PATCH', `/v1/destinations/${body.id}`, { body: moved });
    expect(answer.body.code).toBe('destination-forbidden');
    const after = (await closed.request('GET', `/v1/destinations/${body.id}`)).body;
    expect([after.name, after.url]).toEqual(['Outside', URL_OF_BROKER]);
  });

  it('is not reached through a host name, and a test says so', async () => {
    const inside = await startTestService({
      outbound: { lookup: async () => [{ address: '10.0.0.1', family: 4 }] },
    });
    const { body } = await inside.request('POST', '/v1/destinations', {
      body: { name: 'Rebound', type: 'mqtt', url: 'mqtt://rebind.example.com' },
    });
    const { ok, steps } = (await inside.request('POST', `/v1/destinations/${body.id}/test`)).body;
    expect([ok, steps[0].detail]).toEqual([false, expect.stringMatching(/10\.0\.0\.1 is a private address/)]);
    await inside.close();
  });
});

describe('changing a destination', () => {
  it('merges: omitted options stay, null removes an option', async () => {
    const { body } = await create({ options: { topic: 'a/{device}', qos: 2 } });
    const changed = await change(body.id, { options: { qos: null, username: 'me' } });
    expect(changed.body).toMatchObject({
      name: body.name,
      url: URL_OF_BROKER,
      options: { topic: 'a/{device}', username: 'me' },
    });
    expect(changed.body.options).not.toHaveProperty('qos');
    expect((await change(body.id, { type: 'mqtt' })).body.errors[0].pointer).toBe('/type');
    expect((await change(body.id, { url: null })).body.errors[0].pointer).toBe('/url');
    expect(await eventsOf(body.id)).toEqual([
      ['destination.created', { type: 'mqtt' }],
      ['destination.updated', { fields: ['options'] }],
    ]);
  });

  it('is rejected for an outdated revision without any effect', async () => {
    const { body } = await create();
    const first = await change(body.id, { name: `${body.name} a` }, { 'if-match': '"r1"' });
    expect([first.status, first.headers.get('etag')]).toEqual([200, '"r2"']);
    const second = await change(body.id, { name: `${body.name} b` }, { 'if-match': '"r1"' });
    expect(second).toMatchObject({ status: 412, body: { code: 'precondition-failed' } });
    expect((await read(body.id)).name).toBe(`${body.name} a`);
    const removed = await test.request('DELETE', `/v1/destinations/${body.id}`, {
      headers: { 'if-match': '"r1"' },
    });
    expect(removed.status).toBe(412);
  });

  it('can change the case of its name, but not use the name of another', async () => {
    const { body } = await create({ name: 'Mine' });
    await create({ name: 'Yours' });
    expect((await change(body.id, { name: 'MINE' })).status).toBe(200);
    expect((await change(body.id, { name: 'yours' })).status).toBe(409);
  });

  it('resets the state after a change of the connection, but not after other changes', async () => {
    const { body } = await create();
    await setState(body.id, 'blocked');
    expect((await change(body.id, { name: `${body.name} renamed` })).body).toMatchObject({
      state: 'blocked',
      lastError: { detail: 'It was away.' },
    });
    expect((await change(body.id, { options: { qos: 2 } })).body).toMatchObject({
      state: 'healthy',
      lastError: null,
    });
    expect((await eventsOf(body.id)).at(-1)).toEqual([
      'destination.state-changed',
      { from: 'blocked', to: 'healthy', reason: null },
    ]);
  });
});

describe('secrets', () => {
  const password = CANARY;
  const inUrl = (secret: string, host = 'broker.example.com') => `mqtts://operator:${secret}@${host}`;

  it('in options and URL are stored, and returned as ***', async () => {
    const { body } = await create({ url: inUrl(`${CANARY}%2F%2541`), options: { username: 'me', password } });
    expect([body.url, body.options]).toEqual([inUrl(MASK), { username: 'me', password: MASK }]);
    expect(await openedWith(body.id)).toEqual({
      url: inUrl(`${CANARY}%2F%2541`),
      options: { username: 'me', password: CANARY },
    });
  });

  it('stay if *** is sent back or the field is omitted, for the same address', async () => {
    const { body } = await create({ url: inUrl(CANARY), options: { password } });
    for (const sent of [
      { url: inUrl(MASK) },
      { url: `${inUrl(MASK, 'broker.example.com:8883')}/path` },
      { options: { password: MASK } },
      { options: { qos: 2 } },
    ]) {
      expect((await change(body.id, sent)).status).toBe(200);
      const { url, options } = await openedWith(body.id);
      expect([new URL(url ?? '').password, options['password']]).toEqual([CANARY, CANARY]);
    }
    await change(body.id, { url: URL_OF_BROKER, options: { password: null } });
    expect(await openedWith(body.id)).toEqual({ url: URL_OF_BROKER, options: { qos: 2 } });
    expect((await change(body.id, { url: inUrl(MASK) })).body.errors[0].code).toBe('secret-missing');
  });

  it.each(['mqtts://evil.example.com', 'mqtt://broker.example.com', 'mqtts://broker.example.com:8884'])(
    'are not sent to %s: they must be entered again',
    async (url) => {
      const withPassword = url.replace('://', `://operator:${MASK}@`);
      const { body } = await create({ url: inUrl(CANARY), options: { password } });
      const typed = url.replace('://', '://operator:typed@');
      for (const [pointer, sent] of [
        ['/url', { url: withPassword, options: { password: 'typed' } }],
        ['/options/password', { url: typed }],
        ['/options/password', { url: typed, options: { password: MASK } }],
        ['/options/password', { url }],
      ] as const) {
        const { status, body: refused } = await change(body.id, sent);
        expect([status, refused.errors]).toEqual([
          422,
          [expect.objectContaining({ pointer, code: 'secret-moved' })],
        ]);
      }
      expect((await openedWith(body.id)).url).toBe(inUrl(CANARY));
      expect((await change(body.id, { url: typed, options: { password: 'typed' } })).status).toBe(200);
      expect(await openedWith(body.id)).toEqual({ url: typed, options: { password: 'typed' } });
    },
  );

  it('can be environment variables, which are returned as references', async () => {
    const reference = '${env:PENSTOCK_BROKER}';
    const { body } = await create({ url: inUrl(reference), options: { password: reference } });
    expect([body.url, body.options.password]).toEqual([inUrl(reference), reference]);
    expect(await openedWith(body.id)).toEqual({
      url: inUrl(`${CANARY}-env`),
      options: { password: `${CANARY}-env` },
    });
    expect((await change(body.id, { name: `${body.name} renamed` })).body.url).toBe(inUrl(reference));
  });

  it('with a missing variable prevent opening the destination', async () => {
    const { body } = await create({ options: { password: '${env:PENSTOCK_BROKER}' } });
    const { parts } = test.service;
    const row = await getDestination(parts.db, body.id);
    const later = { ...parts, environment: {} };
    expect(() => openDestination(later, row)).toThrow(/no environment variable PENSTOCK_BROKER/);
  });

  it('appear in no response, event or log line', async () => {
    const { body } = await create({ url: inUrl(CANARY), options: { password } });
    await tryOut(body.id);
    await change(body.id, { url: inUrl(`${CANARY}%`), options: { password: 1 } });
    await create({ url: `mqtts://operator:${CANARY}@`, options: { password } });
    await create({ url: inUrl(CANARY), options: { Password: CANARY } });
    const shown: unknown[] = [...logged];
    for (const path of ['/v1/destinations?limit=200', `/v1/destinations/${body.id}`, '/v1/events?limit=200'])
      shown.push((await test.request('GET', path)).body);
    expect(shown.length).toBeGreaterThan(3);
    for (const each of shown) expect(JSON.stringify(each)).not.toContain(CANARY);
  });
});

describe('pipelines', () => {
  it('that wait for a destination start when it is created, ignoring the case of its name', async () => {
    const waiting = await createPipeline('lake');
    const paused = await createPipeline('Lake', { enabled: false });
    const wrong = await createPipeline('LAKE', { type: 'opc-ua' });
    expect([waiting.state, waiting.problems]).toEqual([
      'draft',
      [{ pointer: '/destination', detail: expect.stringContaining('There is no destination lake.') }],
    ]);
    const { body } = await create({ name: 'Lake' });
    expect(body.usedBy).toBe(3);
    expect(await readPipeline(waiting.id)).toMatchObject({
      state: 'running',
      problems: [],
      destination: 'Lake',
    });
    const sent = await test.request('POST', `/v1/pipelines/${waiting.id}/messages?device=d`, {
      body: { t: 1 },
    });
    expect(sent.status).toBe(202);
    expect((await readPipeline(paused.id)).state).toBe('paused');
    const { state, problems } = await readPipeline(wrong.id);
    expect([state, problems]).toEqual(['draft', [expect.objectContaining({ pointer: '/type' })]]);
    expect(await eventsOf(waiting.id)).toEqual([
      ['pipeline.created', {}],
      ['pipeline.state-changed', { from: 'draft', to: 'running', reason: null }],
    ]);
    const events = await test.request('GET', `/v1/events?subject=${waiting.id}`);
    expect(events.body.data[0].actor).toMatchObject({ type: 'session' });
  });

  it('follow a renamed destination, and drafts that waited for the new name start', async () => {
    const { body } = await create({ name: 'River' });
    const follower = await createPipeline('river');
    const waiting = await createPipeline('Ocean');
    expect([follower.destination, follower.state, waiting.state]).toEqual(['River', 'running', 'draft']);
    const renamed = await change(body.id, { name: 'Ocean' });
    expect(renamed.body).toMatchObject({ name: 'Ocean', usedBy: 2 });
    const answer = await test.request('GET', `/v1/pipelines/${follower.id}`);
    expect([answer.body.destination, answer.body.state, answer.headers.get('etag')]).toEqual([
      'Ocean',
      'running',
      '"r2"',
    ]);
    expect(await eventsOf(follower.id)).toEqual([
      ['pipeline.created', {}],
      ['pipeline.updated', { fields: ['destination'] }],
    ]);
    expect((await readPipeline(waiting.id)).state).toBe('running');
    const listed = await test.request('GET', '/v1/pipelines?destination=OCEAN&total=true');
    expect(listed.body.total).toBe(2);
  });

  it('deliver to the destination that has the name now', async () => {
    const [one, other] = [await startReceiver(), await startReceiver()];
    const named = (url: string) => create({ name: 'Sink', type: 'webhook', url, options: { batchSize: 1 } });
    const send = (id: string) =>
      test.request('POST', `/v1/pipelines/${id}/messages?device=d`, { body: { t: 1 } });
    const { body: first } = await named(one.url);
    const old = await createPipeline('Sink', { interval: 1 });
    await send(old.id);
    await expect.poll(() => one.received.length, PATIENT).toBe(1);
    await change(first.id, { name: 'Former sink' });
    await named(other.url);
    await send((await createPipeline('Sink', { interval: 1 })).id);
    await expect.poll(() => other.received.length, PATIENT).toBe(1);
    await send(old.id);
    await expect.poll(() => one.received.length, PATIENT).toBe(2);
    expect(other.received).toHaveLength(1);
    for (const receiver of [one, other]) await receiver.close();
  });

  it('prevent deleting their destination, and the error names some of them', async () => {
    const { body } = await create({ name: 'Busy' });
    const users = [];
    for (const name of ['Busy a', 'Busy b', 'Busy c', 'Busy d'])
      users.push(await createPipeline('Busy', { name, enabled: false }));
    const refused = await remove(body.id);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      409,
      'conflict',
      expect.stringMatching(/^“Busy a”, “Busy b”, “Busy c” and 1 more deliver to this destination\./),
    ]);
    for (const { id } of users) await test.request('DELETE', `/v1/pipelines/${id}`);
    expect((await remove(body.id)).status).toBe(204);
    expect((await test.request('GET', `/v1/destinations/${body.id}`)).status).toBe(404);
    const events = await test.request('GET', `/v1/events?subject=${body.id}&type=destination.deleted`);
    expect(events.body.data).toMatchObject([{ subject: { type: 'destination', name: 'Busy' } }]);
  });
});

describe('a list of destinations', () => {
  it('sorts, searches and pages', async () => {
    for (const name of ['List c', 'list B', 'LIST a']) await create({ name });
    const names = async (query: string) => {
      const { body } = await test.request('GET', `/v1/destinations?q=liST%20&${query}`);
      return { names: body.data.map(({ name }: { name: string }) => name), next: body.nextCursor };
    };
    expect(await names('')).toEqual({ names: ['LIST a', 'list B', 'List c'], next: null });
    expect((await names('sort=-name')).names).toEqual(['List c', 'list B', 'LIST a']);
    expect((await names('sort=createdAt')).names).toHaveLength(3);
    const first = await names('limit=2');
    expect((await names(`limit=2&cursor=${first.next}`)).names).toEqual(['List c']);
  });
});

it('types have labels and JSON Schemas and include the built-in store', async () => {
  const { body } = await test.request('GET', '/v1/destination-types');
  expect(body.data[0]).toMatchObject({ type: 'telemetry', label: 'Built-in store', urlSchema: null });
  for (const { label, description, optionsSchema } of body.data) {
    expect([label, description]).not.toContain('');
    expect(optionsSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
  const mqtt = body.data.find(({ type }: { type: string }) => type === 'mqtt');
  expect([mqtt.urlSchema.type, mqtt.optionsSchema.properties.password.writeOnly]).toEqual(['string', true]);
});

describe('the signing secret of a webhook', () => {
  it('is shown once, signs each delivery, and stays after a change of the URL', async () => {
    const receiver = await startReceiver();
    const send = () =>
      create(
        { name: 'Signed', type: 'webhook', url: 'https://hooks.example.com/samples' },
        { 'idempotency-key': 'signed' },
      );
    const [{ body: first }, { body: replayed }] = [await send(), await send()];
    const { secret, ...shown } = first;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(replayed).toEqual({ ...shown, secret: null });
    const changed = (await change(shown.id, { url: receiver.url })).body;
    const events = (await test.request('GET', '/v1/events?limit=200')).body;
    for (const each of [changed, await read(shown.id), events, logged])
      expect(JSON.stringify(each)).not.toContain(secret.slice(6));
    const { parts } = test.service;
    const open = openDestination(parts, await getDestination(parts.db, shown.id));
    const samples = [{ device: 'boiler-7', ts: 1, values: { temperature: 71.5 } }];
    await open.deliver(
      { id: 'dlv_1', pipeline: { id: 'pip_1', name: 'To it' }, samples, ids: ['dlv_1_0'] },
      AbortSignal.timeout(10_000),
    );
    await open.close();
    const [{ text, headers }] = receiver.received as [Received];
    expect(new Webhook(secret).verify(text, headers as Record<string, string>)).toMatchObject({
      samples: [{ device: 'boiler-7', values: { temperature: 71.5 } }],
    });
    await receiver.close();
  });
});

it('a test of a destination that never answers times out', async () => {
  const silent = createServer((socket) => void socket.resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const { body } = await create({ url: `mqtt://127.0.0.1:${port}` });
  const { parts } = test.service;
  const probed = probeDestination(parts, await getDestination(parts.db, body.id), { withinMs: 200 });
  await expect(probed).rejects.toThrow('The destination did not answer within 0.2 s.');
  await new Promise((resolve) => silent.close(resolve));
});

it('a failed test of a destination without pipelines does not make it retrying', async () => {
  const { body } = await create({ url: `mqtt://127.0.0.1:${await freePort()}` });
  expect(await tryOut(body.id)).toMatchObject({ ok: false });
  expect(await read(body.id)).toMatchObject({ state: 'healthy' });
});

describe.skipIf(!isInstalled('mosquitto'))('trying a destination', () => {
  let broker: Awaited<ReturnType<typeof startMosquitto>>;
  beforeAll(async () => {
    broker = await startMosquitto();
  });
  afterAll(() => broker.close());
  const createHere = async (password: string) => {
    const url = `mqtt://penstock:${password}@127.0.0.1:${broker.port}`;
    return (await create({ url })).body;
  };

  it('connects with secrets and resolved references', async () => {
    for (const password of [PASSWORD, '${env:PENSTOCK_MOSQUITTO}']) {
      const { id } = await createHere(password);
      expect(await tryOut(id)).toMatchObject({ ok: true, steps: [{ step: 'destination', ok: true }] });
    }
    const { id } = await createHere('wrong');
    const { ok, steps } = await tryOut(id);
    expect([ok, steps[0].ok]).toEqual([false, false]);
    expect(await read(id), 'it is known now').toMatchObject({
      state: 'blocked',
      lastError: { detail: steps[0].detail },
    });
  });

  it('makes a blocked destination healthy if it succeeds, with one event, and otherwise changes nothing', async () => {
    const { id } = await createHere(PASSWORD);
    await setState(id, 'blocked');
    await tryOut(id);
    expect((await read(id)).state).toBe('healthy');
    await tryOut(id);
    expect(await eventsOf(id)).toEqual([
      ['destination.created', { type: 'mqtt' }],
      ['destination.state-changed', { from: 'blocked', to: 'healthy', reason: null }],
    ]);
    const wrong = await createHere('wrong');
    await setState(wrong.id, 'blocked');
    await tryOut(wrong.id);
    expect((await read(wrong.id)).state).toBe('blocked');
    await setState(id, 'retrying');
    await tryOut(id);
    expect((await read(id)).state).toBe('healthy');
  });

  it('is a step of testing a pipeline with this destination', async () => {
    const { name } = await createHere(PASSWORD);
    const attempt = async (destination: string) =>
      (
        await test.request('POST', '/v1/pipelines/test', {
          body: { name: 'New', type: 'http', interval: 10, destination },
        })
      ).body;
    expect((await attempt(name)).steps.at(-1)).toMatchObject({
      step: 'destination',
      ok: true,
      detail: expect.stringContaining(`127.0.0.1:${broker.port}`),
    });
    const wrong = await createHere('wrong');
    expect((await attempt(wrong.name)).steps.at(-1)).toMatchObject({ step: 'destination', ok: false });
    expect((await attempt('nowhere')).steps).toMatchObject([{ step: 'fields', ok: false }]);
  });
});

it('renames the states of earlier versions, in events too', async () => {
  const { db } = test.service.parts;
  const { body: destination } = await create();
  const { body: webhook } = await test.request('POST', '/v1/webhooks', {
    body: { name: 'Renamed', url: 'https://hooks.example.com/', events: ['device.offline'] },
  });
  await change(destination.id, { name: 'Renamed' });
  const stateChanged = (type: string, data: unknown, id: string) =>
    db
      .updateTable('event')
      .set({ type: `${type}.state-changed`, data: JSON.stringify(data) })
      .where('subject_id', '=', id)
      .where('type', '=', `${type}.${type === 'webhook' ? 'created' : 'updated'}`)
      .execute();
  await setState(destination.id, 'failed');
  await db.updateTable('webhook').set({ state: 'failing' }).where('id', '=', webhook.id).execute();
  await stateChanged(
    'destination',
    { from: 'failed', to: 'ready', reason: '"to":"ready" is kept' },
    destination.id,
  );
  await stateChanged('webhook', { from: 'active', to: 'failing', reason: null }, webhook.id);

  await deliveryStates.up(db);
  expect(await read(destination.id)).toMatchObject({ state: 'blocked' });
  expect((await test.request('GET', `/v1/webhooks/${webhook.id}`)).body).toMatchObject({ state: 'retrying' });
  expect((await eventsOf(destination.id)).at(-1)).toEqual([
    'destination.state-changed',
    { from: 'blocked', to: 'healthy', reason: '"to":"ready" is kept' },
  ]);
  expect((await eventsOf(webhook.id)).at(-1)).toEqual([
    'webhook.state-changed',
    { from: 'active', to: 'retrying', reason: null },
  ]);
});
