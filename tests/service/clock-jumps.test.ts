import mqtt from 'mqtt';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scopes } from '#contract/scope.ts';
import { PAST_TIMES } from '#service/clock-correction.ts';
import { freePort } from './free-port.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How far the wall clock was set ahead, how much time both clocks skipped, and how long the process did not run. */
let [aheadMs, passedMs, pausedMs] = [0, 0, 0];
let test: TestService;
let receiver: Receiver;
let mqttPort: number;
/** Never expires. */
let key: string;
const lines: string[] = [];

const monotonicNow = performance.now.bind(performance);
const trueNow = () => Date.now() + passedMs + pausedMs;
const setClock = (ms: number) => (aheadMs += ms);
const pass = (ms: number) => (passedMs += ms);
const pause = (ms: number) => (pausedMs += ms);

beforeEach(async () => {
  [aheadMs, passedMs, pausedMs] = [0, 0, 0];
  vi.spyOn(performance, 'now').mockImplementation(() => monotonicNow() + pausedMs);
  lines.length = 0;
  mqttPort = await freePort();
  receiver = await startReceiver();
  test = await startTestService({
    now: () => trueNow() + aheadMs,
    elapsed: () => performance.now() + passedMs,
    env: { ALLOWED_NETWORKS: '127.0.0.0/8', RETENTION_DAYS: '30', MQTT_PORT: String(mqttPort) },
    timeouts: { cleanupEveryMs: 100, lastSeenFlushMs: 250 },
    logTo: { write: (line) => void lines.push(line) },
  });
  key = (await test.mintKey([...scopes], { expiresAt: null })).secret;
});
afterEach(async () => {
  await test.close();
  await receiver.close();
  vi.restoreAllMocks();
});

const request = (method: string, path: string, body?: unknown, headers = {}) =>
  test.request(method, path, { token: key, headers, ...(body === undefined ? {} : { body }) });
const read = async (path: string) => (await request('GET', path)).body;
const write = (device: string, temp: number) =>
  request('POST', '/v1/telemetry', { samples: [{ device, values: { temp } }] });
const deviceOf = async (externalId: string) => (await read(`/v1/devices?q=${externalId}`)).data[0];
const eventsOf = async (type: string) => (await read(`/v1/events?type=${type}&sort=at&limit=200`)).data;
const latestOf = async (device: string) => (await read(`/v1/telemetry/latest?device=${device}`)).data[0];
const expectState = (device: string, state: string) =>
  expect.poll(async () => (await deviceOf(device)).state).toBe(state);
const expectJumps = (count: number) =>
  expect.poll(async () => (await eventsOf('service.clock-jumped')).length).toBe(count);

/** Creates a pipeline that polls this machine every hour. Returns its ID. */
const createHostPipeline = async (): Promise<string> =>
  (
    await request('POST', '/v1/pipelines', {
      name: 'This machine',
      type: 'host',
      interval: 3_600,
      destination: 'telemetry',
    })
  ).body.id;

/** Expects that the pipeline is still running, and reports missed polls only once time passes. */
const expectNoMissedPoll = async (id: string) => {
  await write('boiler', 20);
  await expectState('boiler', 'online');
  expect((await read(`/v1/pipelines/${id}`)).state).toBe('running');
  expect(await eventsOf('pipeline.state-changed')).toEqual([]);
  pass(4 * HOUR_MS);
  await expect
    .poll(async () => (await read(`/v1/pipelines/${id}`)).lastError?.detail)
    .toBe('The source did not answer the last polls.');
};

describe('a clock that is set a day ahead', () => {
  it('makes no device late or offline, and records an event', async () => {
    await write('boiler', 20);
    await expectState('boiler', 'online');
    const before = trueNow();
    setClock(DAY_MS);
    await expectJumps(1);
    const [{ at, subject, data }] = await eventsOf('service.clock-jumped');
    expect(subject).toEqual({ type: 'service', id: '', name: 'The service clock' });
    expect(Math.abs(Date.parse(data.from) - before)).toBeLessThan(10_000);
    expect([at, Date.parse(data.to) - Date.parse(data.from)]).toEqual([data.to, data.jumpSeconds * 1_000]);
    expect(Math.abs(data.jumpSeconds - DAY_MS / 1_000)).toBeLessThan(1);
    expect((await deviceOf('boiler')).state).toBe('online');
    // Time passes normally from here: late after five minutes, not a day later.
    pass(6 * MINUTE_MS);
    await expectState('boiler', 'late');
    pass(6 * MINUTE_MS);
    await expectState('boiler', 'offline');
    expect(await eventsOf('device.offline')).toHaveLength(1);
  });

  it('does not count as a missed poll', async () => {
    const id = await createHostPipeline();
    const lastUnit = async () => {
      const [device] = (await read('/v1/devices')).data;
      const metrics = device === undefined ? [] : (await read(`/v1/devices/${device.id}/metrics`)).data;
      return metrics.find(({ metric }: { metric: string }) => metric === 'system.uptime')?.unit;
    };
    await expect.poll(lastUnit).toBe('s');
    setClock(DAY_MS);
    await expectJumps(1);
    pass(HOUR_MS);
    await expectNoMissedPoll(id);
  });

  it('expires no idempotency key within its 24 hours', async () => {
    const create = async () =>
      (await request('POST', '/v1/devices', { name: 'Boiler' }, { 'idempotency-key': 'once' })).body.id;
    const id = await create();
    setClock(DAY_MS);
    await expectJumps(1);
    expect(await create()).toBe(id);
    pass(25 * HOUR_MS);
    expect(await create()).not.toBe(id);
  });

  it('deletes nothing because of its age for an hour', async () => {
    await write('boiler', 20);
    await expectState('boiler', 'online');
    const { id } = await deviceOf('boiler');
    await write('pump', 7);
    const pump = await deviceOf('pump');
    expect((await request('DELETE', `/v1/devices/${pump.id}`)).status).toBe(204);
    setClock(400 * DAY_MS);
    await expectJumps(1);
    const held = () => lines.filter((line) => line.includes('housekeeping does not delete old data')).length;
    const heldBefore = held();
    await expect.poll(held).toBeGreaterThan(heldBefore + 2);
    expect(await latestOf('boiler')).toMatchObject({ value: 20 });
    expect((await request('POST', `/v1/devices/${pump.id}/restore`)).status).toBe(200);
    pass(HOUR_MS);
    await expect.poll(async () => (await read(`/v1/telemetry/latest?device=${id}`)).data).toEqual([]);
  });
});

describe('a clock that is set back', () => {
  it('leaves no time of a device, key or pipeline in the future, and returns new values', async () => {
    await write('boiler', 20);
    const idle = await request('POST', '/v1/api-keys', { name: 'Idle', scopes: ['devices:read'] });
    const { body: pipeline } = await request('POST', '/v1/pipelines', {
      name: 'Gateway',
      type: 'http',
      interval: 5,
      destination: 'telemetry',
    });
    setClock(DAY_MS);
    await write('boiler', 21);
    await write('pump', 7);
    await request('POST', `/v1/pipelines/${pipeline.id}/messages`, { device: 'fan', speed: 3 });
    await test.request('GET', '/v1/devices', { token: idle.body.secret });
    await expect
      .poll(async () => Date.parse((await deviceOf('pump')).lastSeenAt))
      .toBeGreaterThan(trueNow() + HOUR_MS);
    await expect.poll(async () => (await read(`/v1/api-keys/${idle.body.id}`)).lastUsedAt).not.toBeNull();
    await expectJumps(1);

    setClock(-DAY_MS);
    await expectJumps(2);
    for (const name of ['boiler', 'pump', 'fan']) {
      const { state, lastSeenAt } = await deviceOf(name);
      expect([name, state]).toEqual([name, 'online']);
      expect(Date.parse(lastSeenAt)).toBeLessThanOrEqual(trueNow());
      expect(Date.parse(lastSeenAt)).toBeGreaterThan(trueNow() - MINUTE_MS);
    }
    const { lastUsedAt } = await read(`/v1/api-keys/${idle.body.id}`);
    expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(trueNow());
    const { lastMessageAt } = await read(`/v1/pipelines/${pipeline.id}`);
    expect(Date.parse(lastMessageAt)).toBeLessThanOrEqual(trueNow());
    const { ingest } = await read('/v1/overview');
    expect(ingest.perMinute.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(4);

    // Samples with the wrong time stay stored, and hide no new ones.
    expect(await latestOf('boiler')).toMatchObject({ value: 20 });
    expect((await latestOf('pump')).ageMs).toBe(0);
    await write('boiler', 22);
    await write('pump', 8);
    expect(await latestOf('boiler')).toMatchObject({ value: 22 });
    const { ts, value, ageMs } = await latestOf('pump');
    expect([value, ageMs >= 0, ts <= trueNow()]).toEqual([8, true, true]);
    const { id } = await deviceOf('pump');
    expect((await read(`/v1/devices/${id}/metrics`)).data).toMatchObject([{ value: 8 }]);

    pass(6 * MINUTE_MS);
    await expectState('pump', 'late');
  });

  it('returns new values immediately, even if it was set back by only a few minutes', async () => {
    await write('boiler', 20);
    setClock(-5 * MINUTE_MS);
    await expectJumps(1);
    await write('boiler', 21);
    expect(await latestOf('boiler')).toMatchObject({ value: 21 });
  });

  it('is detected at the next start if the service was stopped', async () => {
    setClock(DAY_MS);
    await write('boiler', 20);
    await expectState('boiler', 'online');
    await expectJumps(1);
    await test.restart(() => void setClock(-DAY_MS));
    await expectJumps(2);
    const { state, lastSeenAt } = await deviceOf('boiler');
    expect(state).toBe('online');
    expect(Date.parse(lastSeenAt)).toBeLessThanOrEqual(trueNow());
    pass(6 * MINUTE_MS);
    await expectState('boiler', 'late');
  });

  it('delays no retry of a webhook', async () => {
    setClock(DAY_MS);
    await expectJumps(1);
    const { body } = await request('POST', '/v1/webhooks', {
      name: 'On-call',
      url: receiver.url,
      events: ['device.registered'],
    });
    receiver.react = 500;
    await request('POST', '/v1/devices', { name: 'Boiler' });
    await expect.poll(async () => (await read(`/v1/webhooks/${body.id}`)).state).toBe('retrying');
    receiver.react = 204;
    setClock(-DAY_MS);
    await expectJumps(2);
    pass(10_000);
    await expect.poll(async () => (await read(`/v1/webhooks/${body.id}`)).calls.delivered).toBe(1);
  });

  it('delays no digest of a webhook', async () => {
    setClock(DAY_MS);
    await expectJumps(1);
    const { body } = await request('POST', '/v1/webhooks', {
      name: 'On-call',
      url: receiver.url,
      events: ['device.registered'],
      digest: true,
    });
    const delivered = async () => (await read(`/v1/webhooks/${body.id}`)).calls.delivered;
    await request('POST', '/v1/devices', { name: 'Boiler 1' });
    await expect.poll(delivered).toBe(1);
    await request('POST', '/v1/devices', { name: 'Boiler 2' });
    setClock(-DAY_MS);
    await expectJumps(2);
    pass(MINUTE_MS);
    await expect.poll(delivered).toBe(2);
  });

  it('delays neither a delivery nor a retry to a destination', async () => {
    const target = await request('POST', '/v1/destinations', {
      name: 'Elsewhere',
      type: 'webhook',
      url: receiver.url,
    });
    const create = async (name: string, interval: number): Promise<string> =>
      (
        await request('POST', '/v1/pipelines', {
          name,
          type: 'http',
          interval,
          destination: target.body.name,
        })
      ).body.id;
    const [slow, failing] = [await create('Slow', 3_600), await create('Failing', 1)];
    setClock(DAY_MS);
    await expectJumps(1);
    receiver.react = 503;
    for (const id of [slow, failing])
      await request('POST', `/v1/pipelines/${id}/messages`, { device: id, speed: 3 });
    await expect.poll(async () => (await read(`/v1/destinations/${target.body.id}`)).state).toBe('retrying');
    setClock(-DAY_MS);
    await expectJumps(2);
    receiver.react = 204;
    const delivered = async (id: string) => (await read(`/v1/pipelines/${id}`)).ledger.delivered;
    await expect.poll(() => delivered(failing)).toBe(1);
    const { oldestAt } = (await read(`/v1/pipelines/${slow}`)).spool;
    expect(Date.parse(oldestAt)).toBeLessThanOrEqual(trueNow());
    expect(await delivered(slow)).toBe(0);
    pass(HOUR_MS);
    await expect.poll(() => delivered(slow)).toBe(1);
  });

  it('keeps rejections replayable', async () => {
    const { body } = await request('POST', '/v1/pipelines', {
      name: 'Gateway',
      type: 'http',
      interval: 5,
      destination: 'telemetry',
    });
    setClock(DAY_MS);
    await request('POST', `/v1/pipelines/${body.id}/messages`, { device: 'a name with blanks', speed: 3 });
    await expectJumps(1);
    setClock(-DAY_MS);
    await expectJumps(2);
    const { data } = await read(`/v1/pipelines/${body.id}/rejections`);
    expect(data).toHaveLength(1);
    expect(Date.parse(data[0].at)).toBeLessThanOrEqual(trueNow());
    const replay = await request('POST', `/v1/pipelines/${body.id}/rejections/replay`, { all: true });
    expect(replay.body).toMatchObject({ replayed: 0, rejected: 1 });
  });

  it('suppresses no event of the MQTT broker', async () => {
    const refuse = async () => {
      const client = mqtt.connect(`mqtt://127.0.0.1:${mqttPort}`, {
        username: 'boiler',
        password: 'wrong',
        reconnectPeriod: 0,
      });
      await new Promise((resolve) => client.once('error', resolve));
      await client.endAsync(true);
    };
    await refuse();
    await expect.poll(async () => (await eventsOf('mqtt.refused')).length).toBe(1);
    setClock(-DAY_MS);
    await expectJumps(1);
    pass(2 * MINUTE_MS);
    await refuse();
    await expect.poll(async () => (await eventsOf('mqtt.refused')).length).toBe(2);
  });
});

describe('a process that did not run', () => {
  it('has missed no poll', async () => {
    const id = await createHostPipeline();
    await expect.poll(async () => (await read(`/v1/pipelines/${id}`)).ledger.received).toBeGreaterThan(0);
    pause(5 * HOUR_MS);
    await expect.poll(() => lines.filter((line) => line.includes('the process did not run')).length).toBe(1);
    await expectNoMissedPoll(id);
  });

  it('makes no device late, even if it received messages right before', async () => {
    const devices = ['boiler', 'pump', 'fan', 'meter', 'valve'];
    for (const device of devices) await write(device, 20);
    for (const device of devices) {
      await write(device, 21);
      // Most likely before the time is written.
      pause(20 * MINUTE_MS);
    }
    for (const device of devices) await expectState(device, 'online');
    pause(20 * MINUTE_MS);
    await write('lamp', 20);
    await expectState('lamp', 'online');
    expect([await eventsOf('device.late'), await eventsOf('device.offline')]).toEqual([[], []]);
    pass(6 * MINUTE_MS);
    for (const device of devices) await expectState(device, 'late');
  });
});

it('a step of a few seconds is not a jump', async () => {
  await write('boiler', 20);
  await expectState('boiler', 'online');
  setClock(4_000);
  await write('boiler', 21);
  pass(2 * MINUTE_MS);
  await write('boiler', 22);
  setClock(-4_000);
  await write('boiler', 23);
  setClock(HOUR_MS);
  await expectJumps(1);
  const [{ data }] = await eventsOf('service.clock-jumped');
  expect(Math.abs(data.jumpSeconds - 3_600)).toBeLessThan(6);
});

it('every stored time is corrected, or listed here with the reason why not', async () => {
  const stays = [
    // Events and what was created or changed at a time: the audit log is not rewritten.
    /^event\.at$/,
    /^webhook_digest\.(first|last)_at$/,
    /\.(created|updated|revoked)_at$/,
    // Expiry of keys, sessions and secrets refers to the wall clock.
    /^(api_key|session)\.expires_at$/,
    /^webhook\.old_secret_until$/,
    // Only whether it is set matters.
    /^signin\.used_at$/,
    // By the clock of the database server.
    /^lease\.expires_at$/,
    // Corrected by statements of their own.
    /^device\.(late|offline|deleted)_at$/,
    /^signin\.expires_at$/,
    /^webhook_call\.(at|due_at)$/,
    /^webhook_digest\.due_at$/,
  ];
  const corrected = new Set(
    Object.entries(PAST_TIMES).flatMap(([table, columns]) => columns.map((column) => `${table}.${column}`)),
  );
  const tables = await test.service.parts.db.introspection.getTables();
  const times = tables
    .filter(({ isView }) => !isView)
    .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`))
    .filter((name) => /[._](at|until)$/.test(name));
  expect(times.length).toBeGreaterThan(30);
  expect(times.filter((name) => !corrected.has(name) && !stays.some((rule) => rule.test(name)))).toEqual([]);
});
