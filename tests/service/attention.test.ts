import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AttentionItem } from '#contract/attention.ts';
import { listRefusedKeys, updateKey } from '#service/access/api-key-store.ts';
import { freePort } from './free-port.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startReceiver } from './receiver.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let service: TestService;
let mqttPort: number;
beforeAll(async () => {
  mqttPort = await freePort();
  service = await startTestService({
    env: { MQTT_PORT: String(mqttPort), ALLOWED_NETWORKS: '127.0.0.1/32' },
  });
});
afterAll(() => service.close());

const { create, send } = httpPipelinesOf(() => service);
const items = async (token?: string): Promise<AttentionItem[]> =>
  (await service.request('GET', '/v1/overview', token === undefined ? {} : { token })).body.attention.items;
const ofKind = async (kind: string, subject?: string): Promise<AttentionItem[]> =>
  (await items()).filter(
    (item) => item.kind === kind && (subject === undefined || item.subject?.id === subject),
  );
const pause = (id: string, enabled = false) =>
  service.request('PATCH', `/v1/pipelines/${id}`, { body: { enabled } });
const setClock = async (id: string, device: string, aheadMs: number) =>
  send(id, { device, ts: Date.now() + aheadMs, values: { n: 1 } });
const DAY_MS = 86_400_000;
/** 600 samples, of which a few others are less than 1 %. */
const sendAccepted = (id: string, nowMs = Date.now()) =>
  send(id, {
    samples: Array.from({ length: 600 }, (_, n) => ({
      device: 'healthy',
      ts: nowMs - n,
      values: { n },
    })),
  });

test('nothing needs attention at first', async () => {
  expect(await items()).toEqual([]);
});

describe('a device whose samples are rejected', () => {
  test('is listed with the reason while its pipeline is below 1 %, until its samples are accepted', async () => {
    const id = await create();
    await sendAccepted(id);
    await setClock(id, 'pump-1', 0);
    for (let message = 0; message < 2; message += 1)
      expect(await setClock(id, 'pump-1', 30 * DAY_MS)).toMatchObject({ rejected: 1 });
    await expect.poll(() => ofKind('samples-rejected')).toHaveLength(1);
    const [item] = await ofKind('samples-rejected');
    expect(item).toMatchObject({
      severity: 'critical',
      subject: { type: 'device', name: 'pump-1' },
      reason: 'ts-too-far-ahead',
      devices: 1,
      count: 2,
    });
    expect(Date.parse(item?.since ?? '')).toBeLessThanOrEqual(Date.parse(item?.lastAt ?? ''));
    expect(await ofKind('pipeline-degraded')).toEqual([]);
    for (let message = 0; message < 6; message += 1) await setClock(id, 'pump-1', message);
    await expect.poll(() => ofKind('samples-rejected')).toEqual([]);
  });

  test('is not listed for one rejected message after an accepted one', async () => {
    const id = await create();
    await sendAccepted(id);
    await setClock(id, 'valve-1', 0);
    expect(await setClock(id, 'valve-1', 30 * DAY_MS)).toMatchObject({ rejected: 1 });
    await setClock(id, 'valve-2', 30 * DAY_MS);
    await expect
      .poll(() => ofKind('samples-rejected'))
      .toMatchObject([{ subject: { name: 'valve-2' }, devices: 1 }]);
    await setClock(id, 'valve-1', 30 * DAY_MS);
    await expect
      .poll(() => ofKind('samples-rejected'))
      .toMatchObject([{ devices: 2, detail: 'From valve-2, valve-1.' }]);
    await service.request('DELETE', `/v1/pipelines/${id}`);
  });

  test('is counted with others of the same pipeline and reason', async () => {
    const id = await create();
    await sendAccepted(id);
    for (const device of ['fan-1', 'fan-2', 'fan-3', 'fan-4', 'fan-5'])
      await setClock(id, device, 30 * DAY_MS);
    await expect.poll(() => ofKind('samples-rejected', id)).toHaveLength(1);
    expect(await ofKind('samples-rejected', id)).toMatchObject([
      { devices: 5, count: 5, detail: 'From fan-1, fan-2, fan-3 and 2 more.' },
    ]);
    await service.request('DELETE', `/v1/pipelines/${id}`);
    await expect.poll(() => ofKind('samples-rejected')).toEqual([]);
  });

  test('is not listed under a name that no device can have', async () => {
    const id = await create();
    await sendAccepted(id);
    expect(await setClock(id, 'a\0b', 30 * DAY_MS)).toMatchObject({ rejected: 1 });
    await setClock(id, 'fan-1', 30 * DAY_MS);
    await expect
      .poll(() => ofKind('samples-rejected'))
      .toMatchObject([{ subject: { name: 'fan-1' }, count: 1 }]);
    await service.request('DELETE', `/v1/pipelines/${id}`);
    await expect.poll(() => ofKind('samples-rejected')).toEqual([]);
  });

  test('is left to its pipeline if that is degraded because of rejections', async () => {
    const id = await create();
    await setClock(id, 'alone-1', 30 * DAY_MS);
    await expect.poll(() => ofKind('pipeline-degraded', id)).toHaveLength(1);
    expect(await ofKind('pipeline-degraded', id)).toMatchObject([
      { reason: 'rejections', severity: 'warning' },
    ]);
    expect(await ofKind('samples-rejected')).toEqual([]);
    await service.request('DELETE', `/v1/pipelines/${id}`);
  });
});

describe('offline devices', () => {
  const atMs = Date.parse('2026-11-20T09:00:00Z');
  const isoAt = (minute: number) => new Date(atMs + minute * 60_000).toISOString();
  const register = async (name: string, type: string, tags = {}): Promise<string> =>
    (await service.request('POST', '/v1/devices', { body: { name, type, tags } })).body.id;
  /** As after a sweep that found no message in time. */
  const goOffline = (id: string, minute: number) =>
    service.service.parts.db
      .updateTable('device')
      .set({ state: 'offline', last_seen_at: atMs, offline_at: atMs + minute * 60_000 })
      .where('id', '=', id)
      .execute();

  test('are listed one by one while they are few, and by type if they are more', async () => {
    const ids: string[] = [];
    for (const [minute, type] of ['boiler', 'boiler', 'pump', 'boiler', ''].entries()) {
      const id = await register(`Silent ${minute}`, type);
      await goOffline(id, minute);
      ids.push(id);
    }
    await expect.poll(() => ofKind('devices-offline')).toHaveLength(5);
    // Those that are offline for longest come first.
    expect((await ofKind('devices-offline')).slice(0, 2)).toMatchObject([
      { subject: { type: 'device', id: ids[0], name: 'Silent 0' }, since: isoAt(0), severity: 'critical' },
      { subject: { name: 'Silent 1' }, since: isoAt(1), lastSeenAt: isoAt(0), lastAt: null },
    ]);
    const last = await register('Silent 5', 'pump');
    await goOffline(last, 5);
    await expect
      .poll(() => ofKind('devices-offline'))
      .toMatchObject([
        {
          subject: null,
          devices: 6,
          lastAt: isoAt(5),
          lastSeenAt: null,
          detail: 'Latest: Silent 5, Silent 4, Silent 3.',
          groups: {
            by: 'type',
            data: [
              { value: 'boiler', devices: 3 },
              { value: 'pump', devices: 2 },
            ],
          },
        },
      ]);
    const { secret } = await service.mintKey(['devices:read']);
    expect((await items(secret)).map(({ kind }) => kind)).toEqual(['devices-offline']);
    await service.request('DELETE', `/v1/devices/${last}`);
    await expect.poll(() => ofKind('devices-offline')).toHaveLength(5);
    for (const id of ids) await service.request('DELETE', `/v1/devices/${id}`);
    await expect.poll(() => ofKind('devices-offline')).toEqual([]);
  });

  test('are counted by the tag that most of them share, unless devices that are not offline have it too', async () => {
    const ids: string[] = [];
    for (const n of Array.from({ length: 18 }).keys()) {
      const tags = { country: 'France', site: n < 8 ? 'Lyon' : `Site ${n}`, serial: `${n}` };
      const id = await register(`Site device ${n}`, n % 2 === 0 ? 'boiler' : 'pump', tags);
      if (n < 9) await goOffline(id, n);
      ids.push(id);
    }
    await expect
      .poll(() => ofKind('devices-offline'))
      .toMatchObject([
        {
          devices: 9,
          groups: {
            by: 'tag:site',
            data: [
              { value: 'Lyon', devices: 8 },
              { value: 'Site 8', devices: 1 },
            ],
          },
        },
      ]);
    for (const id of ids) await service.request('DELETE', `/v1/devices/${id}`);
    await expect.poll(() => ofKind('devices-offline')).toEqual([]);
  });
});

test('a device is no longer listed after a replay has accepted all of its rejected samples', async () => {
  const id = await create();
  await sendAccepted(id);
  await setClock(id, 'pump-7', 30 * DAY_MS);
  await expect.poll(() => ofKind('samples-rejected')).toHaveLength(1);
  const replay = () =>
    service.request('POST', `/v1/pipelines/${id}/rejections/replay`, { body: { all: true } });
  expect((await replay()).body).toMatchObject({ rejected: 1 });
  expect(await ofKind('samples-rejected')).toHaveLength(1);
  const expression = '{ "device": device, "values": values }';
  await service.request('PATCH', `/v1/pipelines/${id}`, {
    body: { mapping: { format: 'expression', expression } },
  });
  expect((await replay()).body).toMatchObject({ replayed: 1, rejected: 0 });
  await expect.poll(() => ofKind('samples-rejected')).toEqual([]);
});

describe('a paused pipeline', () => {
  test('is listed while messages arrive over HTTP, until it is resumed', async () => {
    const id = await create();
    await pause(id);
    expect(await ofKind('pipeline-paused')).toEqual([]);
    for (const n of [1, 2, 3]) await send(id, { device: 'fan-1', values: { n } });
    await expect.poll(() => ofKind('pipeline-paused', id)).toMatchObject([{ count: 3 }]);
    await pause(id, true);
    await expect.poll(() => ofKind('pipeline-paused')).toEqual([]);
  });

  test('is listed for messages over MQTT, which are not listed as unrouted too', async () => {
    const body = { type: 'mqtt', interval: 5, destination: 'telemetry', config: { topic: 'plant/+/up' } };
    const { id } = (await service.request('POST', '/v1/pipelines', { body: { name: 'Plant', ...body } }))
      .body;
    await pause(id);
    const { secret } = await service.mintKey(['telemetry:write']);
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
      username: 'fan-1',
      password: secret,
    });
    await client.publishAsync('plant/fan-1/up', '{"n":1}', { qos: 1 });
    await expect.poll(() => ofKind('pipeline-paused', id)).toMatchObject([{ count: 1 }]);
    expect(await ofKind('messages-unrouted')).toEqual([]);
    // No message of the pipeline: it would be rejected while the pipeline runs too.
    expect(await send(id, { n: 1 })).toMatchObject({
      code: 'invalid-state',
      detail: expect.stringContaining('has the type mqtt and does not accept messages here'),
    });
    await client.publishAsync('plant/fan-1/up', '{"n":2}', { qos: 1 });
    await expect.poll(() => ofKind('pipeline-paused', id)).toMatchObject([{ count: 2 }]);
    await client.publishAsync('elsewhere/fan-1', '{"n":1}', { qos: 1 });
    await expect
      .poll(() => ofKind('messages-unrouted'))
      .toMatchObject([{ subject: null, count: 1, detail: 'On elsewhere/+.' }]);
    for (let n = 1; n <= 12; n += 1) await client.publishAsync(`tele/plug-${n}/LWT`, 'Online', { qos: 1 });
    await expect
      .poll(async () => (await ofKind('messages-unrouted'))[0])
      .toMatchObject({ count: 13, detail: 'On tele/+/LWT (12 topics), elsewhere/+.' });
    const changed = await create();
    await pause(changed);
    await send(changed, { device: 'fan-1', values: { n: 1 } });
    const toMqtt = { type: 'mqtt', config: { topic: 'elsewhere/+' } };
    await service.request('PATCH', `/v1/pipelines/${changed}`, { body: toMqtt });
    await expect.poll(() => ofKind('pipeline-paused', changed)).toMatchObject([{ count: 2 }]);
    await client.endAsync(true);
    await service.request('DELETE', '/v1/unrouted');
    for (const each of [id, changed]) await service.request('DELETE', `/v1/pipelines/${each}`);
    await expect.poll(() => ofKind('messages-unrouted')).toEqual([]);
  });
});

test('overwritten samples are listed by pipeline, if the store counts them', async () => {
  const id = await create();
  for (const n of [1, 2, 3]) await send(id, { device: 'stuck-clock', ts: 1_700_000_000_000, values: { n } });
  const isCounted = service.service.parts.telemetry.countsRepeats;
  await expect
    .poll(() => ofKind('samples-overwritten', id))
    .toMatchObject(isCounted ? [{ devices: 1, count: 2 }] : []);
});

describe('a pipeline whose messages have changed', () => {
  const READINGS = { format: 'expression', expression: 'readings.{ "device": id, "values": { "n": n } }' };
  const sendOld = (id: string) => send(id, { readings: [{ id: 'pump-9', n: 1 }] });
  const sendNew = async (id: string, messages: number) => {
    for (let n = 0; n < messages; n += 1) await send(id, { pumps: [{ serial: 'pump-9', n }] });
  };

  test('is listed after 20 messages without samples, until the expression fits again', async () => {
    const id = await create({ mapping: READINGS });
    await sendNew(id, 25);
    expect(await ofKind('messages-skipped'), 'an expression that never returned samples').toEqual([]);
    await sendOld(id);
    await sendNew(id, 19);
    expect(await ofKind('messages-skipped')).toEqual([]);
    await sendNew(id, 110);
    await expect
      .poll(() => ofKind('messages-skipped', id))
      .toMatchObject([
        {
          severity: 'warning',
          subject: { type: 'pipeline' },
          count: 129,
          detail: 'The expression returns no samples.',
        },
      ]);
    await service.request('PATCH', `/v1/pipelines/${id}`, {
      body: { mapping: { expression: 'pumps.{ "device": serial, "values": { "n": n } }' } },
    });
    await expect.poll(() => ofKind('messages-skipped')).toEqual([]);
  });

  test('is not listed for fewer than five times as many as usual', async () => {
    const id = await create({ mapping: READINGS });
    await sendOld(id);
    await sendNew(id, 10);
    await sendOld(id);
    await sendNew(id, 49);
    expect(await ofKind('messages-skipped')).toEqual([]);
    await sendNew(id, 1);
    await expect.poll(() => ofKind('messages-skipped', id)).toMatchObject([{ count: 50 }]);
    await sendOld(id);
    await expect.poll(() => ofKind('messages-skipped')).toEqual([]);
  });
});

test('a webhook that fails is listed with its error, until it is paused', async () => {
  const url = `http://127.0.0.1:${await freePort()}/hook`;
  const { body } = await service.request('POST', '/v1/webhooks', {
    body: { name: 'On-call', url, events: ['device.registered'] },
  });
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 1' } });
  await expect
    .poll(() => ofKind('webhook-failing'))
    .toMatchObject([
      {
        subject: { type: 'webhook', id: body.id, name: 'On-call' },
        count: 1,
        detail: expect.stringContaining('refused'),
        since: expect.stringMatching(/Z$/),
      },
    ]);
  await service.request('PATCH', `/v1/webhooks/${body.id}`, { body: { enabled: false } });
  await expect.poll(() => ofKind('webhook-failing')).toEqual([]);
  await service.request('DELETE', `/v1/webhooks/${body.id}`);
});

test('a webhook whose receiver is gone is listed with this reason', async () => {
  const receiver = await startReceiver();
  receiver.react = 410;
  const { body } = await service.request('POST', '/v1/webhooks', {
    body: { name: 'Gone', url: receiver.url, events: ['device.registered'] },
  });
  await service.request('POST', '/v1/devices', { body: { name: 'Boiler 2' } });
  await expect
    .poll(() => ofKind('webhook-failing', body.id))
    .toMatchObject([{ reason: 'gone', detail: expect.stringContaining('410 Gone') }]);
  await service.request('DELETE', `/v1/webhooks/${body.id}`);
  await receiver.close();
});

describe('a key that has ended but is still used', () => {
  const use = (token: string) => service.request('GET', '/v1/devices', { token });
  const read = async (id: string) => (await service.request('GET', `/v1/api-keys/${id}`)).body;

  test('is listed with the last refused use and its address, also after a restart', async () => {
    const revoked = await service.mintKey(['devices:read'], { name: 'Gateway 4' });
    expect(await read(revoked.id)).toMatchObject({ lastRefusedAt: null, lastRefusedFrom: null });
    await service.request('DELETE', `/v1/api-keys/${revoked.id}`);
    for (let call = 0; call < 3; call += 1) expect((await use(revoked.secret)).status).toBe(401);
    expect(await read(revoked.id)).toMatchObject({
      lastRefusedAt: expect.stringMatching(/Z$/),
      lastRefusedFrom: '127.0.0.1',
    });
    const listed = { subject: { type: 'api-key', id: revoked.id, name: 'Gateway 4' }, reason: 'revoked' };
    const detail = 'From 127.0.0.1.';
    await expect.poll(() => ofKind('api-key-refused')).toMatchObject([{ ...listed, count: 3, detail }]);
    const [before] = await ofKind('api-key-refused');
    await service.restart();
    await use(revoked.secret);
    await expect.poll(() => ofKind('api-key-refused')).toMatchObject([{ ...listed, count: 4 }]);
    expect((await ofKind('api-key-refused'))[0]?.since).toBe(before?.since);
  });

  test('is listed if its overlap after a rotation is over, also over MQTT', async () => {
    const old = await service.mintKey(['telemetry:write'], { name: 'Old secret' });
    await service.request('POST', `/v1/api-keys/${old.id}/rotate`, { body: { overlapSeconds: 0 } });
    await expect(
      mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, {
        username: 'fan-1',
        password: old.secret,
        reconnectPeriod: 0,
      }),
    ).rejects.toThrow('Connection refused');
    await expect
      .poll(() => ofKind('api-key-refused', old.id))
      .toMatchObject([{ reason: 'expired', count: 1 }]);
  });

  test('is listed until its client is quiet for an hour, or ten times as long as usual, or a day', async () => {
    const { db } = service.service.parts;
    const key = await service.mintKey(['devices:read']);
    await service.request('DELETE', `/v1/api-keys/${key.id}`);
    const isListed = async (count: number, everyMs: number, quietMs: number) => {
      const lastAtMs = Date.now() - quietMs;
      const refused = {
        refused_count: count,
        refused_since: lastAtMs - (count - 1) * everyMs,
        last_refused_at: lastAtMs,
      };
      await updateKey(db, key.id, refused);
      return (await listRefusedKeys(db, Date.now())).some(({ id }) => id === key.id);
    };
    const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
    expect(await isListed(1_336, SECOND, 59 * MINUTE)).toBe(true);
    expect(await isListed(1_336, SECOND, 61 * MINUTE)).toBe(false);
    expect(await isListed(4, HOUR, 9 * HOUR)).toBe(true);
    expect(await isListed(4, HOUR, 11 * HOUR)).toBe(false);
    expect(await isListed(1, HOUR, 23 * HOUR)).toBe(true);
    expect(await isListed(3, 12 * HOUR, 25 * HOUR)).toBe(false);
  });

  test('is not listed if nobody uses it', async () => {
    const unused = await service.mintKey(['devices:read']);
    const used = await service.mintKey(['devices:read']);
    await use(unused.secret);
    for (const { id } of [unused, used]) await service.request('DELETE', `/v1/api-keys/${id}`);
    await use(used.secret);
    await expect.poll(() => ofKind('api-key-refused', used.id)).toHaveLength(1);
    expect(await read(unused.id)).toMatchObject({ lastRefusedAt: null });
    expect(await ofKind('api-key-refused', unused.id)).toEqual([]);
  });
});

describe('a key in use that expires soon', () => {
  const mint = async (name: string, days: number) => {
    const expiresAt = new Date(Date.now() + days * DAY_MS + 60_000).toISOString();
    const key = await service.mintKey(['devices:read'], { name, expiresAt });
    await service.request('GET', '/v1/devices', { token: key.secret });
    return key;
  };
  const revoke = (id: string) => service.request('DELETE', `/v1/api-keys/${id}`);

  test('is listed until it is rotated, and again if the old secret is still used', async () => {
    const key = await mint('Gateway 5', 3);
    const later = await mint('Gateway 6', 20);
    const unused = await service.mintKey(['devices:read'], {
      expiresAt: new Date(Date.now() + DAY_MS).toISOString(),
    });
    await expect
      .poll(() => ofKind('api-key-expiring'))
      .toMatchObject([
        {
          subject: { id: key.id, name: 'Gateway 5' },
          detail: 'In 3 days. Last used from 127.0.0.1.',
          count: 1,
        },
      ]);
    const { body: next } = await service.request('POST', `/v1/api-keys/${key.id}/rotate`, { body: {} });
    await expect.poll(() => ofKind('api-key-expiring', key.id)).toEqual([]);
    await service.request('GET', '/v1/devices', { token: key.secret });
    await expect.poll(() => ofKind('api-key-expiring', key.id)).toHaveLength(1);
    for (const { id } of [key, later, unused, next]) await revoke(id);
    await expect.poll(() => ofKind('api-key-expiring')).toEqual([]);
  });

  test('is one entry with others if they are more than five', async () => {
    const keys = [];
    for (let n = 1; n <= 6; n += 1) keys.push(await mint(`Meter ${n}`, n));
    await expect
      .poll(() => ofKind('api-key-expiring'))
      .toMatchObject([{ subject: null, detail: 'The first in 1 day: Meter 1, Meter 2, Meter 3.', count: 6 }]);
    for (const { id } of keys) await revoke(id);
  });
});

test('a token sees what its scopes allow, worst first', async () => {
  const draft = await create({ name: 'A draft', type: 'opc-ua' });
  const degraded = await create();
  await send(degraded, '{"temp": nonsense');
  const refused = await service.mintKey(['devices:read']);
  await service.request('DELETE', `/v1/api-keys/${refused.id}`);
  await service.request('GET', '/v1/devices', { token: refused.secret });
  await expect.poll(() => ofKind('pipeline-degraded', degraded)).toHaveLength(1);
  await expect.poll(() => ofKind('api-key-refused', refused.id)).toHaveLength(1);
  const all = (await items()).map(({ kind }) => kind);
  expect(all.indexOf('pipeline-degraded')).toBeLessThan(all.indexOf('api-key-refused'));
  expect(all.at(-1)).toBe('pipeline-draft');
  const { secret } = await service.mintKey(['devices:read', 'pipelines:read']);
  const seen = (await items(secret)).map(({ kind }) => kind);
  expect(seen).toEqual(expect.arrayContaining(['pipeline-degraded', 'pipeline-draft']));
  expect(seen).not.toContain('api-key-refused');
  const { secret: narrow } = await service.mintKey(['devices:read']);
  expect(await items(narrow)).toEqual([]);
  for (const id of [draft, degraded]) await service.request('DELETE', `/v1/pipelines/${id}`);
});
