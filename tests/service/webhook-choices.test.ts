import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventType } from '#contract/events.ts';
import { startReceiver, type Received, type Receiver } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { webhookHelpers } from './webhook-helpers.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

let clockMs: number;
let test: TestService;
let receiver: Receiver;
/** A key that outlives every move of the clock. */
let key: string;

beforeAll(async () => {
  clockMs = Date.now();
  test = await startTestService({ now: () => clockMs, env: { ALLOWED_NETWORKS: '127.0.0.0/8' } });
  key = (await test.mintKey(['devices:read', 'devices:write', 'events:read'], { expiresAt: null })).secret;
});
afterAll(() => test.close());
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  await deleteAll();
  await receiver.close();
});

const request = (method: string, path: string, body?: unknown) =>
  test.request(method, path, { token: key, ...(body === undefined ? {} : { body }) });

const { create, read, change, deleteAll, names, expectCalls } = webhookHelpers(request, () => receiver);

const record = (
  type: EventType,
  subjects: readonly { type: string; id: string; name: string }[],
  data: Record<string, unknown> = {},
) =>
  test.service.parts.transact((_, recordEvents) =>
    recordEvents(...subjects.map((subject) => ({ type, subject, actor: null, data, at: clockMs }))),
  );
const pipeline = { type: 'pipeline', id: 'pip_1', name: 'Boilers' };
const changeState = (from: string, to: string) =>
  record('pipeline.state-changed', [pipeline], { from, to, reason: null });

describe('a webhook', () => {
  const STEPS = [
    ['draft', 'running'],
    ['running', 'degraded'],
    ['degraded', 'failed'],
    ['failed', 'running'],
    ['running', 'paused'],
    ['paused', 'running'],
  ] as const;

  it.each([
    ['pipeline.degraded', ['degraded']],
    ['pipeline.failed', ['failed']],
    ['pipeline.recovered', ['running']],
  ])('receives %s alone, with the event of the log', async (chosen, states) => {
    const webhook = await create({ events: [chosen] });
    for (const [from, to] of STEPS) await changeState(from, to);
    await expectCalls(webhook, { delivered: states.length });
    expect(receiver.received.map(({ body }) => body.type)).toEqual([chosen]);
    expect(receiver.received.map(({ body }) => body.data)).toMatchObject(
      states.map((to) => ({ type: 'pipeline.state-changed', subject: pipeline, data: { to } })),
    );
  });

  it('receives every change of state as before, even if outcomes are chosen too', async () => {
    const webhook = await create({ events: ['pipeline.failed', 'pipeline.state-changed'] });
    for (const [from, to] of STEPS) await changeState(from, to);
    await expectCalls(webhook, { delivered: STEPS.length });
    expect(receiver.received.map(({ body }) => body.type)).toEqual(STEPS.map(() => 'pipeline.state-changed'));
  });

  const registerWith = async (tags: Record<string, string>) =>
    (await request('POST', '/v1/devices', { name: JSON.stringify(tags), tags })).body.id;

  it.each([
    ['site', ['{"site":"north"}', '{"site":"south"}', '{"site":""}']],
    ['site:north', ['{"site":"north"}']],
    ['site:', ['{"site":""}']],
    ['line:4:a', ['{"line":"4:a"}']],
  ])('limited to the tag %s receives the events of devices with this tag', async (tag, wanted) => {
    const webhook = await create({ tag });
    expect(webhook.tag).toBe(tag);
    for (const tags of [
      { site: 'north' },
      { site: 'south' },
      { site: '' },
      { line: '4:a' },
      { Site: 'north' },
    ])
      await registerWith(tags);
    await expectCalls(webhook, { delivered: wanted.length });
    expect(names()).toEqual(wanted);
  });

  it('limited to a tag follows the tags of the devices, and receives all events of other subjects', async () => {
    const webhook = await create({
      tag: 'site:north',
      events: ['device.updated', 'device.deleted', 'pipeline.failed'],
    });
    const id = await registerWith({});
    const update = (body: unknown) => request('PATCH', `/v1/devices/${id}`, body);
    await update({ type: 'boiler' });
    await update({ tags: { site: 'north' } });
    await changeState('running', 'failed');
    await update({ tags: { site: null } });
    await update({ tags: { site: 'north' } });
    await request('DELETE', `/v1/devices/${id}`);
    await expectCalls(webhook, { delivered: 4 });
    expect(receiver.received.map(({ body }) => body.type)).toEqual([
      'device.updated',
      'pipeline.failed',
      'device.updated',
      'device.deleted',
    ]);
    expect((await change(webhook.id, { tag: null })).body.tag).toBeNull();
    await registerWith({});
    await request('PATCH', `/v1/devices/${await registerWith({})}`, { type: 'boiler' });
    await expectCalls(webhook, { delivered: 5 });
  });

  it('receives with each event of a device what a receiver routes by', async () => {
    const events = [
      'device.registered',
      'device.online',
      'device.updated',
      'device.deleted',
      'pipeline.failed',
    ];
    const webhook = await create({ events });
    const [externalId, tags] = ['press-4', { site: 'north', line: 'A' }];
    const device = { externalId, type: 'press', tags };
    const { id } = (await request('POST', '/v1/devices', { name: 'Press 4', ...device })).body;
    await test.request('POST', '/v1/telemetry', {
      body: { samples: [{ device: externalId, values: { bar: 182 } }] },
    });
    await expectCalls(webhook, { delivered: 2 });
    const { lastSeenAt } = (await request('GET', `/v1/devices/${id}`)).body;
    await request('PATCH', `/v1/devices/${id}`, { tags: { site: 'south' } });
    await request('DELETE', `/v1/devices/${id}`);
    await changeState('running', 'failed');
    await expectCalls(webhook, { delivered: 5 });
    const moved = { ...device, tags: { ...tags, site: 'south' }, lastSeenAt };
    expect(receiver.received.map(({ body: { type, data } }) => [type, data['device']])).toEqual([
      ['device.registered', { ...device, lastSeenAt: null }],
      ['device.online', { ...device, lastSeenAt }],
      ['device.updated', moved],
      ['device.deleted', moved],
      ['pipeline.failed', undefined],
    ]);
    expect(lastSeenAt).toMatch(/Z$/);
    // The log does not repeat it.
    const { body: log } = await request('GET', `/v1/events?subject=${id}&type=device.online`);
    expect(log.data[0]).not.toHaveProperty('device');
  });

  it.each(['', ':north', 'si te', 'site\u0000', `${'x'.repeat(65)}:north`, `site:${'x'.repeat(257)}`])(
    'rejects the tag %j',
    async (tag) => {
      const { status, body } = await request('POST', '/v1/webhooks', {
        name: 'Bad',
        url: receiver.url,
        events: ['device.offline'],
        tag,
      });
      expect([status, body.errors?.[0].pointer]).toEqual([422, '/tag']);
    },
  );
});

type Digest = { total: number; byType: Record<string, number>; from: string; to: string; events: unknown[] };

describe('a webhook with digests', () => {
  const DEVICES = 621;
  const devices = Array.from({ length: DEVICES }, (_, index) => ({
    type: 'device',
    id: `dev_${index}`,
    name: `Boiler ${index}`,
  }));
  const createDigest = (more: Record<string, unknown> = {}) =>
    create({ digest: true, events: ['device.offline', 'pipeline.failed'], ...more });
  const digests = () => receiver.received.map(({ body }) => body.data as unknown as Digest);
  const namesIn = ({ events }: Digest) =>
    events
      .map((event) => (event as Received['body']).data['subject'])
      .map((subject) => (subject as { name: string }).name);

  /** Waits until the sender has served every webhook with due deliveries. */
  const expectServed = async () => {
    const other = await startReceiver();
    const witness = await create({ url: other.url, events: ['device.restored'] });
    await record('device.restored', devices.slice(0, 1));
    await expectCalls(witness, { delivered: 1 });
    await request('DELETE', `/v1/webhooks/${witness.id}`);
    await other.close();
  };

  it('is off by default', async () => {
    expect(await create()).toMatchObject({ digest: false, tag: null });
  });

  it('receives a burst as one signed delivery that lists the first hundred events and counts all', async () => {
    const webhook = await createDigest();
    await record('device.offline', devices);
    await expectCalls(webhook, { delivered: DEVICES });
    expect(receiver.received).toHaveLength(1);
    const [{ headers, text, body } = {} as Received] = receiver.received;
    const at = new Date(Number(headers['webhook-timestamp']) * SECOND_MS);
    expect(headers['webhook-signature']).toBe(
      new Webhook(webhook.secret).sign(String(headers['webhook-id']), at, text),
    );
    expect(body).toMatchObject({
      type: 'webhook.digest',
      timestamp: new Date(clockMs).toISOString(),
      data: {
        total: DEVICES,
        byType: { 'device.offline': DEVICES },
        from: new Date(clockMs).toISOString(),
        to: new Date(clockMs + 1).toISOString(),
      },
    });
    expect(namesIn(digests()[0]!)).toEqual(devices.slice(0, 100).map(({ name }) => name));
    const { from, to } = digests()[0]!;
    const range = `from=${from}&to=${to}`;
    const { body: log } = await request(
      'GET',
      `/v1/events?type=device.offline&sort=at&limit=1&total=true&${range}`,
    );
    expect(log.total).toBe(DEVICES);
    expect(digests()[0]!.events[0]).toEqual({
      type: 'device.offline',
      timestamp: log.data[0].at,
      data: log.data[0],
    });
  });

  it('receives the devices of the listed events', async () => {
    const webhook = await createDigest({ tag: 'site' });
    const register = async (name: string, tags: Record<string, string>) => {
      const { id } = (await request('POST', '/v1/devices', { name, type: 'boiler', tags })).body;
      return { type: 'device', id, name };
    };
    const [near, far] = [await register('Near', { site: 'north' }), await register('Far', { site: 'south' })];
    await record('device.offline', [near, await register('Unplaced', {}), far]);
    await expectCalls(webhook, { delivered: 2 });
    expect(digests()[0]!.events).toMatchObject([
      { data: { subject: near, device: { externalId: 'near', type: 'boiler', tags: { site: 'north' } } } },
      { data: { subject: far, device: { externalId: 'far', type: 'boiler', tags: { site: 'south' } } } },
    ]);
  });

  it('receives the first event immediately, and those of the next minute together', async () => {
    const webhook = await createDigest();
    await record('device.offline', devices.slice(0, 1));
    await expectCalls(webhook, { delivered: 1 });
    const [startMs] = [clockMs];
    clockMs += SECOND_MS;
    await record('device.offline', devices.slice(1, 3));
    clockMs += MINUTE_MS - 2 * SECOND_MS;
    await changeState('running', 'failed');
    await expectServed();
    expect((await read(webhook.id)).calls).toEqual({ delivered: 1, pending: 3, failed: 0 });
    expect(receiver.received).toHaveLength(1);
    clockMs = startMs + MINUTE_MS;
    await expectCalls(webhook, { delivered: 4 });
    expect(digests()).toHaveLength(2);
    expect(digests()[1]).toMatchObject({
      total: 3,
      byType: { 'device.offline': 2, 'pipeline.failed': 1 },
      from: new Date(startMs + SECOND_MS).toISOString(),
      to: new Date(startMs + MINUTE_MS - SECOND_MS + 1).toISOString(),
      events: [{ type: 'device.offline' }, { type: 'device.offline' }, { type: 'pipeline.failed' }],
    });
    clockMs += MINUTE_MS;
    await record('device.offline', devices.slice(3, 4));
    await expectCalls(webhook, { delivered: 5 });
    expect(digests()[2]).toMatchObject({ total: 1, byType: { 'device.offline': 1 } });
  });

  it('repeats a failed digest unchanged, and collects later events in the next', async () => {
    const webhook = await createDigest();
    receiver.react = 500;
    await record('device.offline', devices.slice(0, 2));
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    receiver.react = 204;
    await record('device.offline', devices.slice(2, 3));
    clockMs += 6 * SECOND_MS;
    await expectCalls(webhook, { delivered: 2, pending: 1 });
    clockMs += MINUTE_MS;
    await expectCalls(webhook, { delivered: 3 });
    const [first, repeated, next] = receiver.received;
    expect(repeated?.text).toBe(first?.text);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    expect(ids[0]).toMatch(/^dig_/);
    expect(namesIn(next?.body.data as unknown as Digest)).toEqual(['Boiler 2']);
  });

  it('counts every event of a digest as failed when it is given up', async () => {
    const webhook = await createDigest();
    receiver.react = 500;
    await record('device.offline', devices.slice(0, 3));
    for (let attempts = 1; attempts < 10; attempts += 1) {
      await expect.poll(() => receiver.received.length).toBe(attempts);
      const triedAt = new Date(clockMs).toISOString();
      await expect.poll(async () => (await read(webhook.id)).lastError?.at).toBe(triedAt);
      clockMs += 27 * HOUR_MS;
    }
    await expectCalls(webhook, { failed: 3 });
  });

  it('survives restarts with what was collected and what was sent before', async () => {
    const webhook = await createDigest();
    receiver.react = 500;
    await record('device.offline', devices.slice(0, 2));
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    await record('device.offline', devices.slice(2, 5));
    await test.restart();
    await record('device.offline', devices.slice(5, 6));
    receiver.react = 204;
    expect((await read(webhook.id)).calls.pending).toBe(6);
    clockMs += MINUTE_MS;
    await expectCalls(webhook, { delivered: 6 });
    const [before, ...after] = receiver.received;
    expect(after).toHaveLength(2);
    expect(after.map(({ text }) => text)).toContain(before?.text);
    expect(after.flatMap(({ body }) => namesIn(body.data as unknown as Digest)).toSorted()).toEqual(
      devices.slice(0, 6).map(({ name }) => name),
    );
  });

  it('receives what was collected after it is resumed', async () => {
    const webhook = await createDigest();
    await record('device.offline', devices.slice(0, 1));
    await expectCalls(webhook, { delivered: 1 });
    await record('device.offline', devices.slice(1, 2));
    await change(webhook.id, { enabled: false });
    await record('device.offline', devices.slice(2, 3));
    clockMs += MINUTE_MS;
    await expectServed();
    expect(receiver.received).toHaveLength(1);
    await change(webhook.id, { enabled: true });
    await expectCalls(webhook, { delivered: 2 });
    expect(namesIn(digests()[1]!)).toEqual(['Boiler 1']);
  });

  it('receives what was collected immediately when digests are turned off, then each event', async () => {
    const webhook = await createDigest();
    await record('device.offline', devices.slice(0, 1));
    await expectCalls(webhook, { delivered: 1 });
    await record('device.offline', devices.slice(1, 3));
    expect((await change(webhook.id, { digest: false })).body.digest).toBe(false);
    await expectCalls(webhook, { delivered: 3 });
    await record('device.offline', devices.slice(3, 4));
    await expectCalls(webhook, { delivered: 4 });
    expect(receiver.received.map(({ body }) => body.type)).toEqual([
      'webhook.digest',
      'webhook.digest',
      'device.offline',
    ]);
  });
});
