import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { batchOf } from './batch-of.ts';
import { httpPipelinesOf } from './http-pipelines.ts';
import { startTestService, type TestService } from './start-test-service.ts';
import { withSqlite } from './with-sqlite.ts';

const START = 1_760_000_000_000;
/** A compaction begins as soon as there is anything to move. */
const EAGER = { samples: 1, series: 1, rows: 1, bytes: 1 };

/** Variables that the data refers to. */
export const FILLED_ENV = {
  ALLOWED_NETWORKS: '127.0.0.0/8',
  PENSTOCK_HOOK: 'hook-secret',
  PENSTOCK_HOOK_HOSTS: '127.0.0.1',
};

/** An embedded service with data of every kind that a client can create. */
export const startFilledService = async (): Promise<TestService> => {
  const env = { DATABASE_URL: '', ...FILLED_ENV };
  const service = await startTestService({ env });
  const call = async (method: string, path: string, body: unknown) => {
    const headers = { 'idempotency-key': path };
    const reply = await service.request(method, path, { body, ...(path === '/v1/networks' && { headers }) });
    if (reply.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const post = (path: string, body: unknown) => call('POST', path, body);
  await post('/v1/webhooks', {
    name: 'On-call',
    url: 'http://127.0.0.1:9/hook',
    events: ['device.registered', 'pipeline.created'],
  });
  await post('/v1/webhooks', {
    name: 'Daily',
    url: 'http://127.0.0.1:9/',
    events: ['pipeline.created', 'destination.created'],
    digest: true,
  });
  await post('/v1/networks', { network: '10.1.0.0/16' });
  const devices = Array.from({ length: 1_010 }, (_, n) => ({
    externalId: `pump-${n}`,
    name: `Pump ${n} – Süd “ß” 🚰`,
    type: n % 2 === 0 ? 'Pump' : 'Valve',
    tags: { site: n % 3 === 0 ? 'north' : 'Süd', line: String(n % 7) },
  }));
  for (let from = 0; from < devices.length; from += 505)
    await post('/v1/devices/batch', { operation: 'upsert', items: devices.slice(from, from + 505) });
  const gone = await post('/v1/devices', { externalId: 'gone', name: 'Gone', tags: { site: 'south' } });
  await service.request('DELETE', `/v1/devices/${gone.id}`);
  await post('/v1/destinations', {
    name: 'Down',
    type: 'webhook',
    url: 'http://127.0.0.1:9/',
    options: { headers: { 'x-key': 'plain', authorization: 'Bearer ${env:PENSTOCK_HOOK}' } },
  });
  const { create, send } = httpPipelinesOf(() => service);
  const [stored, spooled] = [await create(), await create({ destination: 'Down' })];
  for (let n = 0; n < 5; n += 1)
    for (const pipeline of [stored, spooled])
      await send(pipeline, {
        device: 'pump-7',
        ts: START + n * 1_000,
        values: { flow: n, mode: `m${n}`, on: n > 2 },
      });
  // Overwrites, and rejects text as a number and a text with NUL.
  await send(stored, { device: 'pump-7', ts: START, values: { flow: 99 } });
  await send(stored, { device: 'pump-7', ts: START, values: { flow: 'high\0' } });
  await send(stored, 'not \0 json');
  const pump = (await service.request('GET', '/v1/devices?q=pump-7')).body.data[0];
  await call('PATCH', `/v1/devices/${pump.id}/metrics/flow`, { unit: 'l/s', decimals: 2 });
  await call('PATCH', '/v1/device-types/Valve/metrics/flow', { label: 'Durchfluss' });
  await service.mintKey(['devices:read'], { name: 'Reader' });
  return service;
};

/** Copies the data directory of a service that has stopped, and adds samples in chunks and in the journal. */
export const copyInstallation = (from: string, to: string, samples: number): void => {
  cpSync(from, to, { recursive: true });
  withSqlite(join(to, 'penstock.db'), (db) =>
    db.exec(
      `INSERT INTO unrouted_topic VALUES ('a/+', 'a/+', 3, 1, 2, '[]', 'a/b', 'left' || char(0) || 'right', 12, 0, 1)`,
    ),
  );
  withSqlite(join(to, 'telemetry.db'), (db) => {
    const deviceOf = db.prepare("SELECT device FROM series WHERE metric = 'flow'").get();
    const device = String(deviceOf?.['device']);
    const write = (count: number, first: number) => (store: SampleStore) =>
      store.write([
        packBatch(
          batchOf(
            Array.from({ length: count }, (_, n) => ({
              device,
              metric: 'level',
              ts: START + (first + n) * 60_000,
              value: Math.sqrt(first + n),
            })),
          ),
        ),
        packBatch(
          batchOf(
            Array.from({ length: Math.ceil(count / 20) }, (_, n) => ({
              device: `dev_${n % 3}`,
              metric: 'state',
              ts: START + (first + n) * 60_000,
              value: `läuft \0 ${first + n}`,
            })),
          ),
        ),
      ]);
    const eager = new SampleStore(db, { limit: EAGER });
    write(samples, 0)(eager);
    while (eager.compact(1_000));
    // Replaces some samples of a chunk, and adds some.
    write(200, samples - 100)(new SampleStore(db));
  });
};
