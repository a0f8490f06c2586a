import { randomUUID } from 'node:crypto';
import { createLearnedIntervals } from '#service/devices/learned-intervals.ts';
import { PEER_CHANNEL } from '#service/platform/peers.ts';
import { inWrite } from '#service/platform/storage/database.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpPipelinesOf } from './http-pipelines.ts';
import { connectTo, runOn } from './postgres-client.ts';
import { openRawStream } from './raw-stream.ts';
import { startReceiver } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { createEmptyDatabase, type TestDatabase } from './test-database.ts';
import { writeSample } from './write-sample.ts';

const NOW = Date.now();
const LIMIT = 10;
/** Of `TELEMETRY_LOCK` in the service. */
const TELEMETRY_LOCK = 7_365_738;

let database: TestDatabase;
let first: TestService;
let second: TestService;

const startProcess = (more: Parameters<typeof startTestService>[0] = {}) =>
  startTestService({
    ...more,
    env: { DATABASE_URL: database.url, ALLOWED_NETWORKS: '127.0.0.1/32', ...more.env },
    timeouts: {
      databaseLockMs: 0,
      databaseRetryMs: 20,
      leaseMs: 2_000,
      leaseRenewMs: 100,
      keyUsageFlushMs: 3_600_000,
    },
  });
/** The second process starts while the first runs. */
beforeAll(async () => {
  database = await createEmptyDatabase();
  first = await startProcess();
  second = await startProcess();
  second.token = first.token;
});
afterAll(async () => {
  await second.close();
  await first.close();
  await database.drop();
});

const holds = ({ service }: TestService) => service.parts.lease.isHeld();
const put = (test: TestService, path: string, body: unknown) => test.request('POST', path, { body });

describe('two processes on one database', () => {
  it('answer with the same sessions, and one of them holds the lease', async () => {
    expect((await second.request('GET', '/v1/session')).status).toBe(200);
    expect([first, second].filter(holds)).toHaveLength(1);
  });

  it('ignore messages of other programs in their channel', async () => {
    for (const payload of ['', 'x', '{}'])
      await sql`select pg_notify(${PEER_CHANNEL}, ${payload})`.execute(first.service.parts.db);
    const { body } = await put(first, '/v1/devices', { externalId: 'after', name: 'After' });
    const { status } = await second.request('GET', `/v1/devices/${body.id}`);
    expect(status).toBe(200);
  });

  it('send the events, states and samples of each other to their streams', async () => {
    await writeSample(first, NOW);
    const { body: device } = await first.request('GET', '/v1/devices?q=boiler');
    const { id } = device.data[0];
    const stream = await openRawStream({ ...second, query: `?device=${id}` });
    const other = await put(first, '/v1/devices', { externalId: 'pump', name: 'Pump' });
    await expect.poll(() => stream.text()).toContain(other.body.id);
    let ts = NOW;
    await expect
      .poll(async () => {
        await writeSample(first, (ts += 1));
        return /event: telemetry\n.*"temp"/s.test(stream.text()) && /event: device\n/.test(stream.text());
      })
      .toBe(true);
    stream.socket.destroy();
  });

  it('end a stream of the other that one of theirs replaces', async () => {
    const id = randomUUID();
    const { token } = first;
    const { body: found } = await first.request('GET', '/v1/devices?q=boiler');
    const device = `device=${found.data[0].id}`;
    const earlier = await openRawStream({ url: first.url, token, query: `?id=${id}&${device}` });
    const stream = await openRawStream({ url: second.url, token, query: `?replaces=${id}&${device}` });
    await expect.poll(earlier.hasEnded).toBe(true);
    // The first process sends samples to the second from the end of its stream on.
    await writeSample(first, NOW + 500);
    await expect.poll(() => stream.text()).toContain('event: telemetry');
    const other = await put(first, '/v1/devices', { externalId: 'fan', name: 'Fan' });
    await expect.poll(() => stream.text()).toContain(other.body.id);
    stream.socket.destroy();
  });

  it('forget names of devices that the other changed', async () => {
    expect((await writeSample(second, NOW + 1_000)).body.accepted).toBe(1);
    const { body } = await first.request('GET', '/v1/devices?q=boiler');
    const { id } = body.data[0];
    expect((await first.request('DELETE', `/v1/devices/${id}`)).status).toBe(204);
    await expect
      .poll(async () => (await writeSample(second, NOW + 2_000)).body.errors?.[0]?.code)
      .toBe('device-deleted');
    await put(first, `/v1/devices/${id}/restore`, {});
    await expect.poll(async () => (await writeSample(second, NOW + 3_000)).status).toBe(200);
  });

  it('end the streams of a key that the other revoked', async () => {
    const key = await first.mintKey(['events:read']);
    const stream = await openRawStream({ url: second.url, token: key.secret });
    expect((await first.request('DELETE', `/v1/api-keys/${key.id}`)).status).toBe(204);
    await expect.poll(stream.hasEnded).toBe(true);
    expect((await second.request('GET', '/v1/session', { token: key.secret })).body.code).toBe(
      'token-revoked',
    );
  });

  it('keep a key that was first used at the other, if it is revoked only if unused', async () => {
    const key = await first.mintKey(['devices:read']);
    expect((await second.request('GET', '/v1/devices', { token: key.secret })).status).toBe(200);
    const { status, body } = await first.request('DELETE', `/v1/api-keys/${key.id}?unused=true`);
    expect([status, body.code]).toEqual([409, 'invalid-state']);
  });

  it('open pipelines that the other created, and count and deliver its messages', async () => {
    const receiver = await startReceiver();
    await put(second, '/v1/destinations', { name: 'Lake', type: 'webhook', url: receiver.url });
    const id = await httpPipelinesOf(() => second).create({ destination: 'Lake', interval: 1 });
    const [atFirst, atSecond] = [httpPipelinesOf(() => first), httpPipelinesOf(() => second)];
    const message = { device: 'boiler', values: { temp: 1 } };
    expect(await atSecond.send(id, message)).toMatchObject({ received: 1, rejected: 0 });
    await expect.poll(async () => (await atFirst.send(id, { ...message, ts: NOW })).received).toBe(1);
    await expect.poll(async () => (await atSecond.read(id)).ledger.pending).toBe(0);
    expect((await atFirst.read(id)).ledger).toMatchObject({ received: 2, delivered: 2 });
    await expect.poll(async () => (await atFirst.read(id)).rate.perSecond).toBeGreaterThan(0);
    const { body } = await second.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled: false } });
    expect(body.state).toBe('paused');
    await expect.poll(async () => (await atFirst.send(id, message)).code).toBe('invalid-state');
    await receiver.close();
  });

  it('create a resource once if both get the request', async () => {
    const create = (test: TestService) =>
      test.request('POST', '/v1/devices', {
        body: { name: 'Once' },
        headers: { 'idempotency-key': 'only-once' },
      });
    const answers = await Promise.all([create(first), create(second), create(first), create(second)]);
    for (const { status, body } of answers)
      expect(status === 201 || body.code === 'idempotency-in-progress').toBe(true);
    const { body } = await first.request('GET', '/v1/devices?q=Once');
    expect(body.data).toHaveLength(1);
    expect((await create(second)).body.id).toBe(body.data[0].id);
  });

  it('allow networks that the other allowed', async () => {
    const { body } = await put(first, '/v1/networks', { network: '10.1.0.0/16' });
    const test = () =>
      put(second, '/v1/destinations', { name: 'Inside', type: 'webhook', url: 'https://10.1.2.3/hook' });
    await expect.poll(async () => (await test()).status).toBe(201);
    await first.request('DELETE', `/v1/networks/${body.id}`);
  });

  it('limit failed tokens together', async () => {
    const fail = async (test: TestService) =>
      (await test.request('GET', '/v1/session', { token: 'pen_key_unknown' })).status;
    for (let failures = 0; failures < 10; failures += 1) expect(await fail(first)).toBe(401);
    let tries = 0;
    await expect
      .poll(
        () => {
          tries += 1;
          return fail(second);
        },
        // Ten failures at one process would reach the limit too.
        { interval: 500 },
      )
      .toBe(429);
    expect(tries).toBeLessThan(10);
  });

  it('deliver each event to a webhook once', async () => {
    const receiver = await startReceiver();
    await put(second, '/v1/webhooks', { name: 'Chat', url: receiver.url, events: ['device.registered'] });
    const names = Array.from({ length: 20 }, (_, n) => `Valve ${n}`);
    await Promise.all(names.map((name, n) => put(n % 2 === 0 ? first : second, '/v1/devices', { name })));
    await expect.poll(() => receiver.received.length).toBe(20);
    expect(new Set(receiver.received.map(({ body }) => body.data['id'])).size).toBe(20);
    await receiver.close();
  });

  it('do not wait longer for a transaction that hangs than for a lease', async () => {
    const isLocked = Promise.withResolvers<void>();
    const { db } = second.service.parts;
    const hanging = inWrite(db, async (tx) => {
      await tx.selectFrom('lease').select('name').execute();
      isLocked.resolve();
      await writing;
    }).catch((error: unknown) => error);
    let writing: Promise<unknown> = Promise.resolve();
    writing = isLocked.promise.then(() => put(first, '/v1/devices', { name: 'Waits' }));
    expect(await writing).toMatchObject({ status: 201 });
    expect(await hanging).toBeInstanceOf(Error);
  });

  it('reject a third process with its telemetry in a file', async () => {
    await expect(startProcess({ env: { TELEMETRY_URL: 'embedded' } })).rejects.toThrow(
      /^Another Penstock process uses the database of DATABASE_URL/,
    );
  });

  it('reject a third process with its telemetry in another PostgreSQL database', async () => {
    const other = await createEmptyDatabase();
    await expect(startProcess({ env: { TELEMETRY_URL: other.url } })).rejects.toThrow(
      /^TELEMETRY_URL names a different telemetry database from the one that the running Penstock processes use\./,
    );
    await other.drop();
  });

  it('start at the same time with different telemetry only once', async () => {
    const databases = await Promise.all([1, 2, 3].map(createEmptyDatabase));
    const [metadata, ...telemetry] = databases.map(({ url }) => url);
    const startWith = (url: string) =>
      startTestService({
        env: { DATABASE_URL: metadata!, TELEMETRY_URL: url },
        timeouts: { databaseRetryMs: 20, databaseLockMs: 20_000 },
      });
    // The first process has opened its metadata, and waits for its telemetry.
    const locked = await connectTo(telemetry[0]!);
    await locked.query('select pg_advisory_lock($1)', [TELEMETRY_LOCK]);
    const rejected = startWith(telemetry[0]!).catch((error: unknown) => error);
    const other = await connectTo(metadata!);
    await expect
      .poll(() =>
        other.query('select from lease').then(
          ({ rowCount }) => rowCount,
          () => 0,
        ),
      )
      .toBe(1);
    const running = await startWith(telemetry[1]!);
    await locked.end();
    // The wait for the lock may end before or after the tables are created.
    expect(String(await rejected)).toMatch(/Set TELEMETRY_URL to the same URL as for these processes\./);
    await running.close();
    await other.end();
    for (const { drop } of databases) await drop();
  });

  it('join one whose telemetry has the schema of an older version only after it ended', async () => {
    const databases = await Promise.all([1, 2].map(createEmptyDatabase));
    const [metadata, telemetry] = databases.map(({ url }) => url);
    const startOne = () => startTestService({ env: { DATABASE_URL: metadata!, TELEMETRY_URL: telemetry! } });
    const running = await startOne();
    await runOn(telemetry!, `delete from telemetry_migration where name = '0002-generation'`);
    await expect(startOne()).rejects.toThrow(
      'The database of telemetry was written by an older version of Penstock. Stop its processes, then start this version once, which migrates it.',
    );
    await running.close();
    for (const { drop } of databases) await drop();
  });

  it('limit the devices that a key registers together', async () => {
    const third = await startProcess({ env: { REGISTRATION_LIMIT: String(LIMIT) } });
    const fourth = await startProcess({ env: { REGISTRATION_LIMIT: String(LIMIT) } });
    const { secret } = await first.mintKey(['telemetry:write']);
    const register = async (test: TestService, names: string[]) => {
      const samples = names.map((device) => ({ device, ts: NOW, values: { temp: 1 } }));
      return (await test.request('POST', '/v1/telemetry', { body: { samples }, token: secret })).body;
    };
    const names = Array.from({ length: LIMIT }, (_, n) => `new-${n}`);
    expect((await register(third, names)).accepted).toBe(LIMIT);
    let extra = 0;
    await expect
      .poll(async () => (await register(fourth, [`extra-${(extra += 1)}`])).errors?.[0]?.code, {
        interval: 500,
      })
      .toBe('registration-limit');
    expect(extra).toBeLessThan(LIMIT);
    await third.close();
    await fourth.close();
  });

  it('learn the interval of a device that sends to both in turn', () => {
    const intervals = createLearnedIntervals(250);
    for (let seconds = 0; seconds <= 80; seconds += 20) {
      intervals.recordMessage('dev_a', seconds * 1_000);
      intervals.recordElsewhere('dev_a', (seconds - 10) * 1_000);
    }
    expect(intervals.find('dev_a')).toBe(10);
  });

  it('pass the lease on when the holder stops', async () => {
    await first.restart(async () => {
      await expect.poll(() => holds(second)).toBe(true);
      expect((await writeSample(second, NOW + 9_000)).status).toBe(200);
    });
    expect([holds(first), holds(second)]).toEqual([false, true]);
  });
});
