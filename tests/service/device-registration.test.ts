import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { registerDevice, type Act } from '#service/devices/device-writes.ts';
import { openDatabase } from '#service/platform/storage/database.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { startMonitoredService, type MonitoredService } from './monitored-service.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService | undefined;
let monitored: MonitoredService | undefined;
afterEach(async () => {
  await service?.close();
  await monitored?.close();
  [service, monitored] = [undefined, undefined];
});

const namesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `x${first + index}`);
const write = (names: readonly string[]) => ({
  samples: names.map((device) => ({ device, values: { v: 0 } })),
});

const total = async ({ request }: TestService): Promise<number> =>
  (await request('GET', '/v1/devices?limit=1&total=true')).body.total;

test('a request that registers thousands of devices does not block the event loop', async () => {
  monitored = await startMonitoredService();
  await monitored.send('POST', '/v1/telemetry', JSON.stringify(write(namesFrom(0, 10))));
  await monitored.stalls();
  const answer = await monitored.send('POST', '/v1/telemetry', JSON.stringify(write(namesFrom(10, 5_000))));
  expect([answer.status, await answer.json()]).toMatchObject([200, { received: 5_000, accepted: 5_000 }]);
  expect((await monitored.stalls()).longestMs).toBeLessThan(100);
});

test('a key registers a limited number of devices per hour, and samples of known devices are stored', async () => {
  let nowMs = Date.parse('2026-03-01T10:00:00Z');
  service = await startTestService({ env: { REGISTRATION_LIMIT: '100' }, now: () => nowMs });
  const { request, mintKey } = service;
  const send = async (names: readonly string[], token = service?.token ?? '') =>
    (await request('POST', '/v1/telemetry', { body: write(names), token })).body;

  expect(await send(namesFrom(0, 90))).toMatchObject({ accepted: 90, rejected: 0 });
  const half = await send(namesFrom(80, 40));
  expect(half).toMatchObject(service.countsOf({ received: 40, accepted: 10, duplicates: 10, rejected: 20 }));
  expect(half.errors[0]).toMatchObject({ code: 'registration-limit', pointer: '/samples/20/device' });
  expect(half.errors[0].detail).toContain('after 2026-03-01T11:00:00.000Z');
  expect(await total(service)).toBe(100);

  // A new session of a key shares its limit; another key has its own.
  const { secret } = await mintKey(['telemetry:write'], { name: 'Gateway' });
  expect(await send(namesFrom(1_000, 100), secret)).toMatchObject({ accepted: 100 });
  const { body: session } = await request('POST', '/v1/sessions', { body: { token: secret }, token: null });
  expect((await send(namesFrom(2_000, 1), session.token)).code).toBe('validation-failed');

  nowMs += 3_600_000;
  expect(await send(namesFrom(100, 20))).toMatchObject({ accepted: 20, rejected: 0 });
});

test('setting the wall clock back does not restart the hour of a key', async () => {
  let [nowMs, elapsedMs] = [Date.parse('2026-03-01T10:00:00Z'), 0];
  service = await startTestService({
    env: { REGISTRATION_LIMIT: '5' },
    now: () => nowMs,
    elapsed: () => elapsedMs,
  });
  const send = async (names: readonly string[]) =>
    (await service?.request('POST', '/v1/telemetry', { body: write(names) }))?.body;

  expect(await send(namesFrom(0, 5))).toMatchObject({ accepted: 5 });
  nowMs -= 86_400_000;
  expect(await send(namesFrom(5, 1))).toMatchObject({ code: 'validation-failed' });
  nowMs += 3_600_000;
  elapsedMs += 3_600_000;
  expect(await send(namesFrom(5, 1))).toMatchObject({ accepted: 1 });
});

test('of two writes that name the same new devices at once, both are stored where the limit permits the devices', async () => {
  service = await startTestService({ env: { REGISTRATION_LIMIT: '200' } });
  const { request } = service;
  const body = write(namesFrom(0, 200));
  const answers = await Promise.all([1, 2, 3].map(() => request('POST', '/v1/telemetry', { body })));
  for (const { body: answer } of answers) expect(answer).toMatchObject({ received: 200, rejected: 0 });
  expect(await total(service)).toBe(200);
});

test('messages of a pipeline count against their sender, and excess samples are rejected with the reason', async () => {
  service = await startTestService({ env: { REGISTRATION_LIMIT: '5' } });
  const { request } = service;
  const { body: pipeline } = await request('POST', '/v1/pipelines', {
    body: { name: 'Gateway', type: 'http', interval: 10, destination: 'telemetry' },
  });
  const sent = await request('POST', `/v1/pipelines/${pipeline.id}/messages`, {
    body: write(namesFrom(0, 8)),
  });
  expect(sent.body).toMatchObject({ received: 8, rejected: 3 });
  const { body: rejections } = await request('GET', `/v1/pipelines/${pipeline.id}/rejections`);
  expect(rejections.data).toMatchObject([{ reason: 'registration-limit', samples: 3 }]);
});

test('a device that a write registers is online in the next read', async () => {
  service = await startTestService({ timeouts: { lastSeenFlushMs: 60_000 } });
  const { request } = service;
  const stateOf = async (externalId: string) =>
    (await request('GET', `/v1/devices?q=${externalId}`)).body.data.map(
      ({ state }: { state: string }) => state,
    );

  await request('POST', '/v1/telemetry', { body: write(['by-telemetry']) });
  expect(await stateOf('by-telemetry')).toEqual(['online']);

  const { body } = await request('POST', '/v1/pipelines', {
    body: { name: 'Gateway', type: 'http', interval: 1, destination: 'telemetry' },
  });
  const sent = await request('POST', `/v1/pipelines/${body.id}/messages?device=by-message`, {
    body: { v: 1 },
  });
  expect(sent.status).toBe(202);
  expect(await stateOf('by-message')).toEqual(['online']);

  // A device whose clock is wrong has been seen too.
  const ts = new Date(Date.now() + 86_400_000).toISOString();
  await request('POST', '/v1/telemetry', {
    body: { samples: [{ device: 'too-early', ts, values: { v: 1 } }] },
  });
  expect(await stateOf('too-early')).toEqual(['online']);
});

test('a name that thousands of devices have gives an external ID after a few lookups', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'penstock-names-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  let statements = 0;
  const tx = await openDatabase(sqliteDialect(join(folder, 'penstock.db')), {
    onQuery: () => {
      statements += 1;
    },
  });
  onTestFinished(() => tx.destroy());
  const DEVICES = 5_000;
  const rows = Array.from({ length: DEVICES }, (_, n) =>
    newDeviceRow({ name: 'Pump' }, n === 0 ? 'pump' : `pump-${n + 1}`, 0),
  );
  for (let i = 0; i < DEVICES; i += 500) await insertDevices(tx, rows.slice(i, i + 500));
  const actor = {
    kind: 'session',
    id: 'ses_1',
    name: 'Operator',
    label: null,
    scopes: [],
    devices: null,
    key: null,
    expiresAt: null,
    keysExpireBy: null,
  } as const;
  const act: Act = { tx, recordEvents: async () => undefined, actor, nowMs: 0 };
  statements = 0;
  expect(await registerDevice(act, { name: 'Pump' })).toMatchObject({ external_id: `pump-${DEVICES + 1}` });
  expect(statements).toBeLessThan(50);
});
