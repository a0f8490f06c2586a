import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '#service/platform/storage/new-id.ts';
import { countPending, insertDeliveries } from '#service/webhooks/webhook-delivery-store.ts';
import { freePort } from './free-port.ts';
import { startReceiver, type Received, type Receiver } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { webhookHelpers } from './webhook-helpers.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let clockMs: number;
let test: TestService;
let receiver: Receiver;
/** A key that outlives every move of the clock. */
let key: string;
const lines: string[] = [];

const start = async (timeoutMs = 1_000) => {
  clockMs = Date.now();
  test = await startTestService({
    now: () => clockMs,
    env: { ALLOWED_NETWORKS: '127.0.0.0/8', LOG_LEVEL: 'trace' },
    outbound: { timeoutMs },
    logTo: { write: (line) => void lines.push(line) },
  });
  key = (
    await test.mintKey(['devices:read', 'devices:write', 'events:read', 'api-keys:manage'], {
      expiresAt: null,
    })
  ).secret;
};

const request = (method: string, path: string, body?: unknown, headers = {}) =>
  test.request(method, path, { token: key, headers, ...(body === undefined ? {} : { body }) });

const { create, read, change, deleteAll, names, expectCalls } = webhookHelpers(request, () => receiver);
let count = 0;
const register = async (name: string): Promise<string> =>
  (await request('POST', '/v1/devices', { name })).body.id;
const eventsOf = async (id: string, type: string) =>
  (await request('GET', `/v1/events?subject=${id}&type=${type}&sort=at`)).body.data;

/** The sender checks for due deliveries at every event, and once a second. */
const wakeSender = () =>
  request('POST', '/v1/devices', { name: 'Not asked for', externalId: `wake-${++count}` });

const expectRequests = (count: number) => expect.poll(() => receiver.received.length).toBe(count);

/** What a receiver does that has a clock which moved as ours did. */
const isSignedWith = (secret: string, { headers, text }: Received): boolean => {
  const at = new Date(Number(headers['webhook-timestamp']) * SECOND_MS);
  const signature = new Webhook(secret).sign(String(headers['webhook-id']), at, text);
  return String(headers['webhook-signature']).split(' ').includes(signature);
};

describe('a webhook', () => {
  beforeAll(() => start());
  afterAll(() => test.close());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(async () => {
    await deleteAll();
    await receiver.close();
  });

  it('receives only its selected events, signed according to Standard Webhooks', async () => {
    const webhook = await create();
    const id = await register('Boiler 1');
    await request('PATCH', `/v1/devices/${id}`, { type: 'boiler' });
    await register('Boiler 2');
    await expectCalls(webhook, { delivered: 2 });
    expect(names()).toEqual(['Boiler 1', 'Boiler 2']);
    const [{ headers, text, body } = {} as Received] = receiver.received;
    expect(new Webhook(webhook.secret).verify(text, headers as Record<string, string>)).toEqual(body);
    expect(body).toMatchObject({
      type: 'device.registered',
      timestamp: body.data['at'],
      data: { id: headers['webhook-id'], subject: { id, name: 'Boiler 1' }, actor: { name: 'Test key' } },
    });
    expect(headers['user-agent']).toMatch(/^Penstock\/\d+\.\d+\.\d+$/);
    expect(headers['content-type']).toBe('application/json');
    const after = await read(webhook.id);
    expect(after).toMatchObject({ state: 'active', lastError: null, lastDeliveredAt: expect.any(String) });
  });

  it.each([
    ['answers 500', async () => void (receiver.react = 500), 'Answered 500 Internal Server Error.'],
    ['answers 404', async () => void (receiver.react = 404), 'Answered 404 Not Found.'],
    [
      'redirects',
      async () =>
        void (receiver.react = (response) => void response.writeHead(302, { location: receiver.url }).end()),
      'Answered 302 Found: Penstock does not follow redirects. Enter the URL that the server redirects to.',
    ],
    ['hangs', async () => void (receiver.react = () => undefined), /did not answer within 1 s\.$/],
    [
      'closes the connection',
      async () => void (receiver.react = ({ socket }) => void socket?.destroy()),
      /closed the connection before answering\.$/,
    ],
    ['is down', () => receiver.close(), /refused the connection\.$/],
  ])('is retried after five seconds if the receiver %s', async (_, fail, detail) => {
    const webhook = await create();
    await fail();
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    expect(await read(webhook.id)).toMatchObject({
      calls: { delivered: 0, pending: 1, failed: 0 },
      lastError: { detail: typeof detail === 'string' ? detail : expect.stringMatching(detail) },
    });
    const before = receiver.received.map(({ headers }) => headers['webhook-id']);
    const { port } = new URL(receiver.url);
    await receiver.close();
    receiver = await startReceiver(Number(port));
    clockMs += 6 * SECOND_MS;
    await expectCalls(webhook, { delivered: 1 });
    expect((await read(webhook.id)).state).toBe('active');
    expect(new Set([...before, receiver.received[0]?.headers['webhook-id']]).size).toBe(1);
    const changes = await eventsOf(webhook.id, 'webhook.state-changed');
    expect(changes.map(({ data }: { data: { to: string } }) => data.to)).toEqual(['retrying', 'active']);
  });

  const HOURS = [0.5, 2, 5, 10, 14, 20, 24];
  it('gives up a delivery after ten attempts within three days', async () => {
    const webhook = await create({ events: ['device.updated'] });
    receiver.react = 503;
    await request('PATCH', `/v1/devices/${await register('Boiler 1')}`, { type: 'boiler' });
    const waits = [
      ...[5, 300].map((seconds) => seconds * SECOND_MS),
      ...HOURS.map((hours) => hours * HOUR_MS),
    ];
    for (const [index, waitMs] of waits.entries()) {
      await expectRequests(index + 1);
      const triedAt = new Date(clockMs).toISOString();
      await expect.poll(async () => (await read(webhook.id)).lastError?.at).toBe(triedAt);
      // The schedule and its jitter of a tenth.
      clockMs += waitMs * 1.1;
      await wakeSender();
    }
    await expectCalls(webhook, { failed: 1 });
    expect(receiver.received).toHaveLength(10);
    expect((await read(webhook.id)).lastError.detail).toMatch(/Answered 503 .* Gave up after 10 attempts\.$/);
    expect(await eventsOf(webhook.id, 'webhook.state-changed')).toHaveLength(1);
  });

  it('is paused by a 410, and collects no events until it is resumed', async () => {
    const webhook = await create();
    receiver.react = 410;
    clockMs += SECOND_MS;
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('paused');
    const paused = await read(webhook.id);
    expect(paused).toMatchObject({
      enabled: false,
      calls: { pending: 1 },
      updatedAt: new Date(clockMs).toISOString(),
    });
    expect(paused.lastError.detail).toBe(
      'Answered 410 Gone: the receiver accepts no more deliveries. Penstock paused the webhook.',
    );
    await register('Boiler 2');
    expect((await read(webhook.id)).calls.pending).toBe(1);
    receiver.react = 200;
    expect((await change(webhook.id, { enabled: true })).body.state).toBe('active');
    await expectCalls(webhook, { delivered: 1 });
    expect(names()).toEqual(['Boiler 1', 'Boiler 1']);
  });

  it('collects no events while it is paused, and an event names who paused it', async () => {
    const webhook = await create();
    expect((await change(webhook.id, { enabled: false })).body).toMatchObject({
      enabled: false,
      state: 'paused',
    });
    await register('Boiler 1');
    expect((await change(webhook.id, { enabled: true })).body.state).toBe('active');
    await register('Boiler 2');
    await expectCalls(webhook, { delivered: 1 });
    expect(names()).toEqual(['Boiler 2']);
    expect(await eventsOf(webhook.id, 'webhook.state-changed')).toMatchObject([
      { actor: { name: 'Test key' }, data: { from: 'active', to: 'paused' } },
      { actor: { name: 'Test key' }, data: { from: 'paused', to: 'active' } },
    ]);
  });

  it('counts a 2xx as delivered even if the rest of the response never arrives', async () => {
    const webhook = await create();
    receiver.react = (response) => void response.writeHead(200).write('wait');
    await register('Boiler 1');
    await expectCalls(webhook, { delivered: 1 });
    receiver.react = (response) => void response.writeHead(200).end('x'.repeat(1_000_000));
    await register('Boiler 2');
    await expectCalls(webhook, { delivered: 2 });
    expect(names()).toEqual(['Boiler 1', 'Boiler 2']);
  });

  it('sends pending deliveries to a new URL immediately', async () => {
    const webhook = await create();
    await receiver.close();
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    receiver = await startReceiver();
    expect((await change(webhook.id, { url: receiver.url })).body).toMatchObject({
      state: 'active',
      lastError: null,
    });
    await expectCalls(webhook, { delivered: 1 });
  });

  it('receives state changes of other webhooks, but not its own', async () => {
    const watcher = await startReceiver();
    const other = await create({ url: watcher.url, events: ['webhook.state-changed'] });
    receiver.react = 500;
    const webhook = await create({ events: ['device.registered', 'webhook.state-changed'] });
    await register('Boiler 1');
    await expectCalls(other, { delivered: 1 });
    expect(watcher.received[0]?.body.data).toMatchObject({
      subject: { id: webhook.id },
      data: { from: 'active', to: 'retrying', reason: 'Answered 500 Internal Server Error.' },
    });
    expect((await read(webhook.id)).calls.pending).toBe(1);
    await watcher.close();
  });

  it('deletes its pending deliveries with it', async () => {
    const webhook = await create();
    receiver.react = 500;
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    expect((await request('DELETE', `/v1/webhooks/${webhook.id}`)).status).toBe(204);
    expect((await request('GET', `/v1/webhooks/${webhook.id}`)).status).toBe(404);
    clockMs += 6 * SECOND_MS;
    await register('Boiler 2');
    expect(receiver.received).toHaveLength(1);
    expect(await eventsOf(webhook.id, 'webhook.deleted')).toHaveLength(1);
  });

  it('sends both signatures during the overlap of a rotation, then the new one', async () => {
    const webhook = await create();
    const rotated = await request('POST', `/v1/webhooks/${webhook.id}/rotate`, { overlapSeconds: 60 });
    expect(rotated.status).toBe(200);
    const { secret } = rotated.body;
    expect(secret).not.toBe(webhook.secret);
    await register('Boiler 1');
    await expectRequests(1);
    const isSigned = (secret: string) => receiver.received.map((call) => isSignedWith(secret, call));
    expect([isSigned(secret), isSigned(webhook.secret)]).toEqual([[true], [true]]);
    clockMs += MINUTE_MS;
    await register('Boiler 2');
    await expectRequests(2);
    expect([isSigned(secret), isSigned(webhook.secret)]).toEqual([
      [true, true],
      [true, false],
    ]);
  });

  it('has a unique name, ignoring case', async () => {
    await create({ name: 'Night shift' });
    const again = { name: 'NIGHT SHIFT', url: receiver.url, events: ['device.offline'] };
    const { status, body } = await request('POST', '/v1/webhooks', again);
    expect([status, body.code, body.errors[0].pointer]).toEqual([409, 'conflict', '/name']);
    const other = await create();
    expect((await change(other.id, { name: 'night shift' })).status).toBe(409);
    expect((await change(other.id, { name: other.name.toUpperCase() })).status).toBe(200);
  });

  it('rejects a change to an outdated revision', async () => {
    const webhook = await create();
    const { headers } = await request('GET', `/v1/webhooks/${webhook.id}`);
    const etag = { 'if-match': headers.get('etag') ?? '' };
    const rename = () => request('PATCH', `/v1/webhooks/${webhook.id}`, { name: `Renamed ${count}` }, etag);
    expect((await rename()).status).toBe(200);
    expect((await rename()).status).toBe(412);
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/rotate'],
    ] as const)
      expect(
        (await request(method, `/v1/webhooks/${webhook.id}${path}`, method === 'POST' ? {} : undefined, etag))
          .status,
      ).toBe(412);
  });

  it.each([
    ['http://10.0.0.1/hook', 'destination-forbidden', /10\.0\.0\.1 is a private address\..*ALLOWED_NETWORKS/],
    ['http://0xa000001/', 'destination-forbidden', /10\.0\.0\.1 is a private address/],
    ['https://ops:pass@hooks.example.com/', 'validation-failed', /Do not put secrets in the URL/],
    ['ftp://hooks.example.com/', 'validation-failed', /http/],
  ])('rejects the URL %s', async (url, code, detail) => {
    const { status, body } = await request('POST', '/v1/webhooks', {
      name: 'Bad',
      url,
      events: ['device.offline'],
    });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, code, '/url']);
    expect(body.detail).toMatch(detail);
    const webhook = await create();
    expect((await change(webhook.id, { url })).body.code).toBe(code);
  });

  it('rejects the address of the service itself, even in an allowed network', async () => {
    const { body } = await request('POST', '/v1/webhooks', {
      name: 'Self',
      url: test.url,
      events: ['device.offline'],
    });
    expect([body.code, body.detail]).toEqual([
      'destination-forbidden',
      expect.stringMatching(/Penstock itself/),
    ]);
  });
});

describe('a webhook whose receiver hangs', () => {
  beforeAll(() => start(60_000));
  afterAll(() => test.close());
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  it('keeps the newest ten thousand deliveries and says that it discarded others', async () => {
    const webhook = await create({ events: ['device.updated'] });
    receiver.react = () => undefined;
    const subject = { type: 'device', id: 'dev_1', name: 'Boiler 1' };
    await test.service.parts.transact((_, recordEvents) =>
      recordEvents(
        ...Array.from({ length: 10_002 }, () => ({
          type: 'device.updated' as const,
          subject,
          actor: null,
          at: clockMs,
        })),
      ),
    );
    expect((await read(webhook.id)).calls).toEqual({ delivered: 0, pending: 10_000, failed: 2 });
    expect((await read(webhook.id)).lastError.detail).toMatch(/^More than 10,000 deliveries were pending/);
    const left = await test.service.parts.db
      .selectFrom('webhook_call')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('webhook_id', '=', webhook.id)
      .executeTakeFirst();
    expect(left?.count).toBe(10_000);
  });

  it('shows the next attempt, and retries all pending deliveries on request', async () => {
    receiver.react = 500;
    const webhook = await create();
    expect(webhook.nextAttemptAt).toBeNull();
    const names = ['Boiler 1', 'Boiler 2'];
    for (const name of names) await register(name);
    await expectRequests(2);
    await expectCalls(webhook, { pending: 2 });
    const isPlanned = async () => Date.parse((await read(webhook.id)).nextAttemptAt) > clockMs;
    await expect.poll(isPlanned).toBe(true);
    receiver.react = 204;
    const { status, body } = await request('POST', `/v1/webhooks/${webhook.id}/retry`);
    expect([status, body]).toEqual([200, { deliveries: 2, at: new Date(clockMs).toISOString() }]);
    await expectCalls(webhook, { delivered: 2 });
    expect((await read(webhook.id)).nextAttemptAt).toBeNull();
    expect(await eventsOf(webhook.id, 'webhook.retried')).toMatchObject([{ data: { deliveries: 2 } }]);
  });

  it('keeps all attempts of a delivery that is retried on request', async () => {
    receiver.react = 500;
    const webhook = await create();
    await register('Boiler 1');
    for (let n = 1; n <= 12; n += 1) {
      await expectRequests(n);
      await expect
        .poll(async () => (await request('POST', `/v1/webhooks/${webhook.id}/retry`)).body.deliveries)
        .toBe(1);
    }
    expect((await read(webhook.id)).calls).toEqual({ delivered: 0, pending: 1, failed: 0 });
  });

  it('starts the schedule again if a retry is requested during an attempt', async () => {
    receiver.react = 500;
    const webhook = await create();
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    let answer = () => {};
    receiver.react = (response) => {
      answer = () => void response.writeHead(500).end();
    };
    clockMs += 6 * SECOND_MS;
    await expectRequests(2);
    expect((await request('POST', `/v1/webhooks/${webhook.id}/retry`)).body.deliveries).toBe(1);
    receiver.react = 204;
    answer();
    await expectCalls(webhook, { delivered: 1 });
  });

  it('is retried after a test event that succeeds, and not after one that fails', async () => {
    receiver.react = 500;
    const webhook = await create();
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    const sendTest = () => request('POST', `/v1/webhooks/${webhook.id}/test`);
    expect((await sendTest()).body.ok).toBe(false);
    expect(await eventsOf(webhook.id, 'webhook.retried')).toEqual([]);
    receiver.react = 204;
    expect((await sendTest()).body.ok).toBe(true);
    await expectCalls(webhook, { delivered: 1 });
    expect(await eventsOf(webhook.id, 'webhook.retried')).toHaveLength(1);
  });

  it('is not retried while it is paused', async () => {
    const webhook = await create({ enabled: false });
    expect(await request('POST', `/v1/webhooks/${webhook.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'invalid-state' },
    });
  });

  it('discards older events before a newer digest', async () => {
    const { db } = test.service.parts;
    const webhook = await create({ events: ['device.updated'] });
    const deliveries = (prefix: 'evt' | 'dig', length: number) =>
      Array.from({ length }, () => ({
        webhook_id: webhook.id,
        event_id: newId(prefix),
        body: '{}',
        events: 1,
        attempts: 0,
        due_at: clockMs + DAY_MS,
      }));
    await countPending(db, webhook.id, 10_001);
    await insertDeliveries(db, webhook.id, deliveries('evt', 10_000), clockMs);
    await insertDeliveries(db, webhook.id, deliveries('dig', 1), clockMs);
    const digests = await db
      .selectFrom('webhook_call')
      .select('event_id')
      .where('webhook_id', '=', webhook.id)
      .where('event_id', 'like', 'dig_%')
      .execute();
    expect(digests).toHaveLength(1);
  });

  it('delays neither other webhooks nor a stop', async () => {
    receiver.react = 500;
    const dead = await Promise.all(Array.from({ length: 10 }, () => create()));
    await register('Boiler 1');
    for (const { id } of dead) await expect.poll(async () => (await read(id)).state).toBe('retrying');
    receiver.react = () => undefined;
    clockMs += 6 * SECOND_MS;
    await wakeSender();
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(14);
    const healthy = await startReceiver();
    const webhook = await create({ url: healthy.url });
    await register('Boiler 2');
    await expectCalls(webhook, { delivered: 1 });
    expect(receiver.received).toHaveLength(14);
    await healthy.close();
  });
});

describe('the test of a webhook', () => {
  beforeAll(async () => {
    await start();
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await test.close();
    await receiver.close();
  });
  const tryOut = async (id: string) => (await request('POST', `/v1/webhooks/${id}/test`)).body;

  it('sends one signed delivery, returns the result, and is not counted', async () => {
    const webhook = await create({ enabled: false });
    expect(await tryOut(webhook.id)).toEqual({
      ok: true,
      status: 204,
      detail: 'Answered 204 No Content.',
      ms: expect.any(Number),
    });
    const [{ headers, text, body } = {} as Received] = receiver.received;
    expect(new Webhook(webhook.secret).verify(text, headers as Record<string, string>)).toEqual(body);
    expect(body).toMatchObject({
      type: 'webhook.test',
      data: { id: headers['webhook-id'], subject: { id: webhook.id } },
    });
    receiver.react = 500;
    expect(await tryOut(webhook.id)).toMatchObject({ ok: false, status: 500 });
    expect(await read(webhook.id)).toMatchObject({
      calls: { delivered: 0, pending: 0, failed: 0 },
      state: 'paused',
      lastError: null,
      lastDeliveredAt: null,
    });
  });

  it.each([
    ['paused', (id: string) => change(id, { enabled: false })],
    ['deleted', (id: string) => request('DELETE', `/v1/webhooks/${id}`)],
  ])('returns the result if the webhook is %s meanwhile', async (_, end) => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<() => void>();
    receiver.react = (response) => answer(() => void response.writeHead(204).end());
    const webhook = await create();
    const result = tryOut(webhook.id);
    const respond = await answered;
    await end(webhook.id);
    respond();
    expect(await result).toMatchObject({ ok: true, status: 204 });
  });

  it('describes why it failed', async () => {
    const plain = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    const port = await freePort();
    await new Promise<void>((resolve) => plain.listen(port, '127.0.0.1', resolve));
    const unnamed = await create({ url: 'http://nobody.invalid/' });
    const closed = await create({ url: `http://127.0.0.1:${await freePort()}/` });
    const tls = await create({ url: receiver.url.replace('http:', 'https:') });
    const noHttp = await create({ url: `http://127.0.0.1:${port}/` });
    expect((await tryOut(unnamed.id)).detail).toMatch(
      /host name nobody\.invalid (was not found|could not be resolved)/,
    );
    expect((await tryOut(closed.id)).detail).toMatch(/refused the connection/);
    expect((await tryOut(tls.id)).detail).toMatch(/^TLS: /);
    expect((await tryOut(noHttp.id)).detail).toMatch(/does not speak HTTP/);
    plain.close();
  });
});

describe('a pending delivery', () => {
  beforeAll(() => start());
  afterAll(() => test.close());

  it('is sent after a restart with the same ID', async () => {
    receiver = await startReceiver();
    const { port } = new URL(receiver.url);
    const webhook = await create();
    receiver.react = 500;
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    const id = receiver.received[0]?.headers['webhook-id'];
    await receiver.close();
    await test.restart(async () => {
      clockMs += HOUR_MS;
      receiver = await startReceiver(Number(port));
    });
    await expectCalls(webhook, { delivered: 1 });
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([id]);
    await receiver.close();
  });
});

describe('the secret of a webhook', () => {
  beforeAll(async () => {
    await start();
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await test.close();
    await receiver.close();
  });

  it('is only in the responses to create and rotate', async () => {
    const webhook = await create({ events: ['device.registered', 'webhook.rotated', 'webhook.updated'] });
    const rotated = (await request('POST', `/v1/webhooks/${webhook.id}/rotate`, {})).body;
    const secrets = [webhook.secret, rotated.secret];
    for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
    receiver.react = 500;
    await register('Boiler 1');
    await expect.poll(async () => (await read(webhook.id)).state).toBe('retrying');
    await request('POST', `/v1/webhooks/${webhook.id}/test`);
    const answers = [
      await change(webhook.id, { name: 'Renamed' }),
      await request('GET', `/v1/webhooks/${webhook.id}`),
      await request('GET', '/v1/webhooks'),
      await request('GET', '/v1/events?limit=200'),
    ];
    const said = [
      ...answers.map(({ body }) => JSON.stringify(body)),
      ...receiver.received.map(({ text }) => text),
      ...lines,
    ];
    expect(lines.length).toBeGreaterThan(0);
    for (const secret of secrets) {
      const core = secret.slice(6, 30);
      expect(said.filter((text) => text.includes(core))).toEqual([]);
    }
  });
});

describe('a key that is about to expire', () => {
  beforeAll(() => start());
  afterAll(() => test.close());
  const warnings = async (id: string) => {
    await test.restart();
    const events = await eventsOf(id, 'api-key.expiring');
    return events.map(({ data }: { data: { expiresAt: string } }) => data.expiresAt);
  };
  const mint = (days: number) =>
    request('POST', '/v1/api-keys', {
      name: `For ${days} days`,
      scopes: ['devices:read'],
      expiresAt: new Date(clockMs + days * DAY_MS).toISOString(),
    });

  it('has one event at fourteen days and one at one day, also after restarts', async () => {
    const { body } = await mint(20);
    expect(await warnings(body.id)).toEqual([]);
    clockMs += 6 * DAY_MS;
    expect(await warnings(body.id)).toEqual([body.expiresAt]);
    clockMs += 12 * DAY_MS;
    expect(await warnings(body.id)).toHaveLength(1);
    clockMs += DAY_MS;
    expect(await warnings(body.id)).toHaveLength(2);
    expect(await warnings(body.id)).toHaveLength(2);
    clockMs += 2 * DAY_MS;
    expect(await warnings(body.id)).toHaveLength(2);
  });

  it('has no event if it was revoked or rotated', async () => {
    const revoked = (await mint(2)).body;
    await request('DELETE', `/v1/api-keys/${revoked.id}`);
    const rotated = (await mint(90)).body;
    await request('POST', `/v1/api-keys/${rotated.id}/rotate`, {});
    expect(await warnings(revoked.id)).toEqual([]);
    expect(await warnings(rotated.id)).toEqual([]);
  });

  it('can be sent to a webhook', async () => {
    receiver = await startReceiver();
    await create({ events: ['api-key.expiring'] });
    const { body } = await mint(1);
    await test.restart();
    await expectRequests(1);
    expect(receiver.received[0]?.body.data).toMatchObject({
      subject: { id: body.id, name: 'For 1 days' },
      data: { expiresAt: body.expiresAt },
    });
    await receiver.close();
  });
});
