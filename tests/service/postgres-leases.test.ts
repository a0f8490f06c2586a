import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { inWrite, openDatabase, type Db } from '#service/platform/storage/database.ts';
import { readPostgresAddress } from '#service/platform/storage/dialects/postgres-address.ts';
import { postgresDialect } from '#service/platform/storage/dialects/postgres-dialect.ts';
import { openPostgresPool } from '#service/platform/storage/dialects/postgres-pool.ts';
import { LeaseLost, startLease } from '#service/platform/storage/lease.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { runOn } from './postgres-client.ts';
import { startReceiver } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

const log = pino({ level: 'silent' });
const RENEW_MS = 20;
const DAY_MS = 86_400_000;

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = (await createTestDatabase())!;
  db = await openDatabase(postgresDialect(openPostgresPool(readPostgresAddress(database.url)!)));
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** What another process does that takes the lease, and what happens when it does not renew the lease. */
const takeElsewhere = (url: string) =>
  runOn(
    url,
    `insert into lease (name, holder, token, expires_at) values ('schedulers', 'other', 1, 9e15)
     on conflict (name) do update set holder = 'other', token = lease.token + 1, expires_at = 9e15`,
  );
const expireElsewhere = (url: string) => runOn(url, `update lease set expires_at = 0 where holder = 'other'`);

describe('the lease', () => {
  const startProcess = async (options: { isAlone?: boolean; leaseMs?: number } = {}) => {
    const { isAlone = false, leaseMs = DAY_MS } = options;
    const lease = await startLease({ db, log, timeouts: { leaseMs, leaseRenewMs: RENEW_MS }, isAlone });
    onTestFinished(() => lease.close());
    return lease;
  };
  const write = (lease: Awaited<ReturnType<typeof startProcess>>) =>
    inWrite(db, (tx) => lease.requireHeld(tx));

  it('is held by one process until that process ends, then by another', async () => {
    const first = await startProcess();
    const second = await startProcess();
    const changes: boolean[] = [];
    second.onChange((isHeld) => void changes.push(isHeld));
    expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);
    await expect(write(second)).rejects.toThrow(LeaseLost);
    await first.close();
    await expect.poll(() => second.isHeld()).toBe(true);
    expect(changes).toEqual([true]);
    await write(second);
  });

  it('passes to another process when its holder does not renew it', async () => {
    await takeElsewhere(database.url);
    const lease = await startProcess();
    expect(lease.isHeld()).toBe(false);
    await expireElsewhere(database.url);
    await expect.poll(() => lease.isHeld()).toBe(true);
  });

  it('fails writes of a former holder that does not know yet', async () => {
    const lease = await startLease({
      db,
      log,
      timeouts: { leaseMs: DAY_MS, leaseRenewMs: DAY_MS },
      isAlone: true,
    });
    await takeElsewhere(database.url);
    const changes: boolean[] = [];
    lease.onChange((isHeld) => void changes.push(isHeld));
    const signal = lease.signal();
    expect(lease.isHeld()).toBe(true);
    await expect(write(lease)).rejects.toThrow(LeaseLost);
    expect([lease.isHeld(), signal.aborted, changes]).toEqual([false, true, [false]]);
    await lease.close();
    expect(await db.selectFrom('lease').select('holder').execute()).toEqual([{ holder: 'other' }]);
  });

  it('is lost by a process that learns of another holder', async () => {
    const lease = await startProcess({ isAlone: true });
    await takeElsewhere(database.url);
    await expect.poll(() => lease.isHeld()).toBe(false);
  });

  it('is taken at once by a process that starts alone', async () => {
    await takeElsewhere(database.url);
    expect((await startProcess({ isAlone: true })).isHeld()).toBe(true);
  });

  it('is not held after the machine was suspended, until it is renewed', async () => {
    const lease = await startLease({
      db,
      log,
      timeouts: { leaseMs: 10_000, leaseRenewMs: DAY_MS },
      isAlone: true,
    });
    const { now } = Date;
    const suspended = vi.spyOn(Date, 'now').mockImplementation(() => now() + 10_000);
    expect(lease.isHeld()).toBe(false);
    suspended.mockRestore();
    await lease.close();
  });

  it('ends by the clock of a process that cannot renew it', async () => {
    const lease = await startLease({
      db,
      log,
      timeouts: { leaseMs: 100, leaseRenewMs: DAY_MS },
      isAlone: true,
    });
    await expect.poll(() => lease.isHeld()).toBe(false);
    await lease.close();
  });
});

describe('a service without the lease', () => {
  let service: TestService;
  let url: string;
  beforeAll(async () => {
    const own = (await createTestDatabase())!;
    ({ url } = own);
    service = await startTestService({
      env: { DATABASE_URL: url, ALLOWED_NETWORKS: '127.0.0.0/8' },
      timeouts: { leaseMs: 1_000, leaseRenewMs: RENEW_MS, databaseRetryMs: 20 },
    });
    return async () => {
      await service.close();
      await own.drop();
    };
  });
  const pipelines = httpPipelinesOf(() => service);
  const isHeld = () => service.service.parts.lease.isHeld();

  it('accepts messages, and leaves polls, deliveries, webhooks and states to the holder', async () => {
    const [delivered, notified] = [await startReceiver(), await startReceiver()];
    let polls = 0;
    const polled = createServer((_, response) => {
      polls += 1;
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"temperature":1}');
    });
    await new Promise<void>((resolve) => polled.listen(0, '127.0.0.1', resolve));
    await takeElsewhere(url);
    await expect.poll(isHeld).toBe(false);
    const create = (path: string, body: unknown) => service.request('POST', path, { body });
    await create('/v1/destinations', { name: 'Lake', type: 'webhook', url: delivered.url });
    await create('/v1/webhooks', { name: 'Chat', url: notified.url, events: ['device.registered'] });
    const { body: poll } = await create('/v1/pipelines', {
      name: 'Poll',
      type: 'http-poll',
      interval: 1,
      destination: 'telemetry',
      config: {
        url: `http://127.0.0.1:${(polled.address() as AddressInfo).port}/`,
        device: 'polled',
      },
    });
    const id = await pipelines.create({ destination: 'Lake', interval: 1 });
    expect(await pipelines.send(id, { device: 'boiler', values: { temp: 1 } })).toMatchObject({
      received: 1,
      rejected: 0,
    });
    await create('/v1/devices', { externalId: 'pump', name: 'Pump' });
    // Each would have been called within a tick.
    const ticks = Array.from({ length: 20 }, () => pipelines.read(id));
    expect((await Promise.all(ticks)).every(({ ledger }) => ledger.pending === 1)).toBe(true);
    await runOn(url, `update device set state = 'online', late_at = 1 where external_id = 'pump'`);
    expect([polls, delivered.received.length, notified.received.length]).toEqual([0, 0, 0]);

    await expireElsewhere(url);
    await expect.poll(isHeld).toBe(true);
    await expect.poll(async () => (await pipelines.read(poll.id)).ledger.delivered).toBeGreaterThan(0);
    await expect.poll(() => delivered.received.length).toBe(1);
    await expect.poll(() => notified.received.length).toBe(3);
    await expect
      .poll(async () => (await pipelines.read(id)).ledger)
      .toMatchObject({ delivered: 1, pending: 0 });
    await expect
      .poll(async () => (await service.request('GET', '/v1/devices?q=pump')).body.data[0].state)
      .toBe('late');
    polled.closeAllConnections();
    polled.close();
    await Promise.all([delivered.close(), notified.close()]);
  });

  it('aborts a delivery when another process takes the lease, and sends it again with the same ID after it got it back', async () => {
    const ids: unknown[] = [];
    const aborted = Promise.withResolvers<void>();
    const receiver = createServer((request, response) => {
      ids.push(request.headers['idempotency-key']);
      if (ids.length > 1) response.writeHead(200).end();
      else response.on('close', () => aborted.resolve());
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const port = (receiver.address() as AddressInfo).port;
    await service.request('POST', '/v1/destinations', {
      body: { name: 'Slow', type: 'webhook', url: `http://127.0.0.1:${port}/` },
    });
    const id = await pipelines.create({ destination: 'Slow', interval: 1 });
    await pipelines.send(id, { device: 'boiler', values: { temp: 1 } });
    await expect.poll(() => ids.length).toBe(1);
    await takeElsewhere(url);
    await aborted.promise;
    expect(isHeld()).toBe(false);
    expect(ids).toHaveLength(1);
    await expireElsewhere(url);
    await expect
      .poll(async () => (await pipelines.read(id)).ledger)
      .toMatchObject({ delivered: 1, pending: 0 });
    expect(ids).toEqual([ids[0], ids[0]]);
    receiver.closeAllConnections();
    receiver.close();
  });

  it('keeps the lease while requests use all connections', async () => {
    await expect.poll(isHeld).toBe(true);
    const { db, lease } = service.service.parts;
    const changes: boolean[] = [];
    const stopFollowing = lease.onChange((isNowHeld) => void changes.push(isNowHeld));
    await Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(2)`.execute(db)));
    stopFollowing();
    expect(changes).toEqual([]);
  });

  it('closes its sources when the lease ends, although the database does not answer', async () => {
    const sockets = new Set<Socket>();
    const broker = createTcpServer((socket) => {
      sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
      socket.resume();
    });
    await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
    await service.request('POST', '/v1/pipelines', {
      body: {
        name: 'Elsewhere',
        type: 'mqtt',
        interval: 1,
        destination: 'telemetry',
        config: { topic: 'a/#', url: `mqtt://127.0.0.1:${(broker.address() as AddressInfo).port}` },
      },
    });
    await expect.poll(() => sockets.size).toBe(1);
    const name = new URL(url).pathname.slice(1);
    const maintenance = Object.assign(new URL(url), { pathname: '/postgres' }).href;
    await runOn(maintenance, `alter database ${name} allow_connections false`);
    await runOn(
      maintenance,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
    await expect.poll(() => sockets.size).toBe(0);
    expect(isHeld()).toBe(false);
    await runOn(maintenance, `alter database ${name} allow_connections true`);
    await expect.poll(() => sockets.size).toBe(1);
    for (const socket of sockets) socket.destroy();
    broker.close();
  });
});
