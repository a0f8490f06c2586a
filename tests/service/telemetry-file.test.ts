import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeSync,
  closeSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { findFact, openDatabase } from '#service/platform/storage/database.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { createDiskGuard } from '#service/platform/storage/disk-guard.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { openTelemetryFile } from '#service/telemetry/store/embedded/telemetry-file.ts';
import { batchOf } from './batch-of.ts';
import { startTestService, type TestService } from './start-test-service.ts';

let test: TestService;
const lines: string[] = [];
beforeEach(async () => {
  lines.length = 0;
  test = await startTestService({ logTo: { write: (line) => void lines.push(line) } });
});
afterEach(() => test.close());

const file = () => join(test.dataDir, 'telemetry.db');
const problems = async () => (await test.request('GET', '/v1/storage')).body.files;
const health = async () => (await test.request('GET', '/v1/health')).body;

const send = (count: number, ts = Date.now()) =>
  test.request('POST', '/v1/telemetry', {
    body: {
      samples: Array.from({ length: count }, (_, index) => ({
        device: 'boiler-7',
        ts: ts - index * 1_000,
        values: { temperature: index },
      })),
    },
  });
const read = () =>
  test.request('GET', '/v1/telemetry?device=boiler-7&metric=temperature&from=-1d&points=5000');
const acceptLoss = () => test.request('POST', '/v1/storage/accept-loss', { body: { file: 'telemetry.db' } });

/** The first page of a table or an index. */
const pageOf = (path: string, name: string): number => {
  const db = new DatabaseSync(path, { readOnly: true });
  const row = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name);
  db.close();
  return Number(row?.['rootpage']);
};

it('a missing telemetry.db is reported by its name, neither read nor written, until the loss is accepted', async () => {
  await send(100);
  await test.restart(() => rmSync(file()));
  expect(await problems()).toEqual([
    {
      file: 'telemetry.db',
      problem: 'missing',
      detail: expect.stringContaining('telemetry.db is missing; it held at least 100 samples.'),
      expectedSamples: 100,
      samples: null,
    },
  ]);
  expect(await health()).toEqual({ status: 'degraded', storage: 'writable' });
  expect(lines.join('')).toContain('telemetry.db is missing');
  for (const { status, body } of [await read(), await send(1)])
    expect([status, body.code]).toEqual([503, 'telemetry-unavailable']);
  expect((await test.request('GET', '/v1/overview')).body.storage.samples).toBe(0);
  expect((await test.request('GET', '/v1/devices')).body.data).toHaveLength(1);

  // Another start reports it again.
  await test.restart();
  const [{ detail }] = await problems();

  const [, body] = /`POST \/v1\/storage\/accept-loss` with `(.+?)`/.exec(detail) ?? [];
  expect((await test.request('POST', '/v1/storage/accept-loss', { body })).body.files).toEqual([]);
  expect((await send(10)).body.accepted).toBe(10);
  expect(await health()).toEqual({ status: 'ok', storage: 'writable' });
  const { data } = (await test.request('GET', '/v1/events?type=telemetry.loss-accepted')).body;
  expect(data).toMatchObject([{ subject: { name: 'telemetry.db' }, data: { expectedSamples: 100 } }]);
  await test.restart();
  expect(await problems()).toEqual([]);
});

it('a damaged telemetry.db is reported, and kept under another name once the loss is accepted', async () => {
  await send(100);
  await test.restart(() => {
    const damaged = openSync(file(), 'r+');
    writeSync(damaged, Buffer.alloc(4_096, 'x'), 0, 4_096, 0);
    closeSync(damaged);
  });
  expect(await problems()).toMatchObject([
    { file: 'telemetry.db', problem: 'damaged', expectedSamples: 100 },
  ]);
  expect((await read()).status).toBe(503);
  expect((await acceptLoss()).status).toBe(200);
  expect((await send(1)).status).toBe(200);
  expect(readdirSync(test.dataDir).filter((name) => name.startsWith('telemetry.db.damaged-'))).toHaveLength(
    1,
  );
});

it('requests that accept the same loss at once accept it once', async () => {
  await send(100);
  await test.restart(() => truncateSync(file(), 4_096));
  expect(await problems()).toMatchObject([{ problem: 'damaged' }]);
  const writeUntilAccepted = async () => {
    for (;;) if ((await send(1)).status === 200) return;
  };
  const replies = await Promise.all([acceptLoss(), acceptLoss(), acceptLoss(), writeUntilAccepted()]);
  for (const reply of replies.slice(0, 3)) expect(reply).toMatchObject({ status: 200, body: { files: [] } });
  expect(readdirSync(test.dataDir).filter((name) => /damaged-.*Z$/.test(name))).toHaveLength(1);
  expect((await test.request('GET', '/v1/events?type=telemetry.loss-accepted')).body.data).toHaveLength(1);
  await test.restart();
  expect(await problems()).toEqual([]);
  expect((await test.request('GET', '/v1/overview')).body.storage.samples).toBe(1);
});

/** Leaves a compaction in telemetry.db that must merge a late sample into the chunk of the others, and then changes the file. */
const leaveCompaction = (sql: string): void => {
  const db = openSqlite(file());
  const store = new SampleStore(db, { limit: { samples: 1, series: 1, rows: 1, bytes: 1 } });
  const write = (...times: number[]) =>
    store.write([packBatch(batchOf(times.map((ts) => ({ ts, value: ts }))))]);
  write(0, 10);
  while (store.compact(1_000));
  write(5);
  db.exec('UPDATE progress SET compacted_seq = (SELECT max(seq) FROM journal)');
  db.exec(sql);
  db.close();
};

it('damage that a compaction finds is reported and logged before any request reads it', async () => {
  await test.restart(() => leaveCompaction("UPDATE chunk_data SET coded = x'00'"));
  await expect.poll(problems).toMatchObject([{ problem: 'damaged' }]);
  expect(lines.join('')).toContain('The telemetry chunk of series 1 at 0 is malformed.');
});

it('a compaction that fails for another reason is logged, and writes go on', async () => {
  await test.restart(() =>
    leaveCompaction("CREATE TRIGGER fail BEFORE INSERT ON chunk BEGIN SELECT raise(ABORT, 'planted'); END"),
  );
  await expect.poll(() => lines.join('')).toContain('a compaction of telemetry.db failed');
  expect(lines.join('')).toContain('planted');
  expect((await send(1)).status).toBe(200);
  expect(await problems()).toEqual([]);
});

it('a telemetry.db that was cut short is reported', async () => {
  await send(5_000);
  await test.restart(() => truncateSync(file(), Math.floor(statSync(file()).size / 2 / 4_096) * 4_096));
  expect(await problems()).toMatchObject([
    { file: 'telemetry.db', problem: 'damaged', expectedSamples: 5_000 },
  ]);
});

it.each([
  ['a directory', 'telemetry.db is a directory, not a file.', () => mkdirSync(file())],
  ['a link to itself', 'telemetry.db cannot be opened (ELOOP).', () => symlinkSync(file(), file())],
  [
    'a link into a missing directory',
    'telemetry.db cannot be opened (unable to open database file).',
    () => symlinkSync(`${file()}.missing/telemetry.db`, file()),
  ],
])(
  'a telemetry.db that is %s is reported, and kept under another name once the loss is accepted',
  async (_, detail, replace) => {
    await test.restart(() => {
      rmSync(file());
      replace();
    });
    expect(await problems()).toMatchObject([
      { file: 'telemetry.db', problem: 'unreadable', detail: expect.stringContaining(detail), samples: null },
    ]);
    expect(lines.join('')).toContain(detail);
    expect(await health()).toEqual({ status: 'degraded', storage: 'writable' });
    expect((await send(1)).body.code).toBe('telemetry-unavailable');
    expect((await acceptLoss()).status).toBe(200);
    expect((await send(1)).status).toBe(200);
    expect(
      readdirSync(test.dataDir).filter((name) => name.startsWith('telemetry.db.unreadable-')),
    ).toHaveLength(1);
  },
);

it('an older copy of telemetry.db is served, and reported with what is missing', async () => {
  await send(10);
  const copy = `${file()}.copy`;
  await test.restart(() => copyFileSync(file(), copy));
  await send(50, Date.now() + 60_000);
  await test.restart(() => copyFileSync(copy, file()));
  expect(await problems()).toMatchObject([{ problem: 'incomplete', expectedSamples: 60, samples: 10 }]);
  expect((await read()).body.series[0].ts).toHaveLength(10);
  expect((await send(5, Date.now() - 3_600_000)).status).toBe(200);
  expect(await problems()).toHaveLength(1);
  expect((await acceptLoss()).body.files).toEqual([]);
});

it('damage found in an older copy is reported, and the copy is kept aside once the loss is accepted', async () => {
  await send(5_000);
  const copy = `${file()}.copy`;
  await test.restart(() => copyFileSync(file(), copy));
  await send(50, Date.now() + 60_000);
  await test.restart(() => {
    copyFileSync(copy, file());
    const page = pageOf(file(), 'sqlite_autoindex_series_1');
    const damaged = openSync(file(), 'r+');
    writeSync(damaged, Buffer.alloc(4_096, 'x'), 0, 4_096, (page - 1) * 4_096);
    closeSync(damaged);
  });
  expect(await problems()).toMatchObject([{ problem: 'incomplete' }]);
  expect((await read()).status).toBe(503);
  expect(await problems()).toMatchObject([{ problem: 'damaged', expectedSamples: 5_050 }]);
  expect((await acceptLoss()).status).toBe(200);
  expect(readdirSync(test.dataDir).filter((name) => name.startsWith('telemetry.db.damaged-'))).toHaveLength(
    1,
  );
  expect((await send(1)).status).toBe(200);
});

it('deleted telemetry is not missing', async () => {
  await send(100);
  await test.restart();
  const path = '/v1/telemetry?device=boiler-7&from=2000-01-01T00:00:00Z&to=now';
  expect((await test.request('DELETE', path)).body).toEqual({ deleted: 100 });
  await test.restart();
  expect(await problems()).toEqual([]);
});

it('a deletion that begins while the number of samples is saved is saved too, before it deletes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-file-'));
  const log = pino({ level: 'silent' });
  const onFailure = (error: unknown) => {
    throw error;
  };
  const disk = createDiskGuard({
    directory: dataDir,
    reserveBytes: 0,
    readOnlyState: undefined,
    log,
    now: Date.now,
    onSyncFailure: onFailure,
  });
  const db = await openDatabase(sqliteDialect(join(dataDir, 'penstock.db')), { readOnlyState: undefined });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const opened = await openTelemetryFile({
    dataDir,
    db,
    disk,
    isReadOnly: false,
    metricsPerDevice: 10,
    log,
    now: Date.now,
    onProblem: () => undefined,
    onThreadEnd: onFailure,
  });
  onTestFinished(async () => {
    await opened.close();
    await disk.close();
    await db.destroy();
    rmSync(dataDir, { recursive: true });
  });
  const { store } = opened;
  const deleteFirst = (count: number) => store.remove({ devices: ['dev_a'], fromMs: 0, toMs: count });
  await store.write(batchOf(Array.from({ length: 10 }, (_, ts) => ({ ts, value: ts }))));
  await deleteFirst(1);

  // The metadata is busy: the number of samples waits to be saved.
  const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.transaction().execute(() => {
    held.resolve();
    return release.promise;
  });
  await held.promise;
  vi.advanceTimersByTime(60_000);
  await store.stats();
  const deleted = deleteFirst(5);
  release.resolve();
  await holding;
  expect(await deleted).toBe(4);
  expect(JSON.parse((await findFact(db, 'telemetry-expected')) ?? '')).toMatchObject({ isDeleting: true });
});

it('a pipeline reports the missing telemetry.db, keeps what waits for it, and continues when it is there again', async () => {
  const create = async (body: Record<string, unknown>): Promise<string> =>
    (await test.request('POST', '/v1/pipelines', { body: { type: 'http', interval: 1, ...body } })).body.id;
  const pipeline = async (id: string) => (await test.request('GET', `/v1/pipelines/${id}`)).body;
  const message = (id: string) =>
    test.request('POST', `/v1/pipelines/${id}/messages?device=boiler-7`, { body: { temperature: 1 } });
  await test.request('POST', '/v1/destinations', {
    body: { name: 'Lake', type: 'webhook', url: 'http://lake.invalid/' },
  });
  await send(1);
  const direct = await create({ name: 'Direct', destination: 'telemetry' });
  const moved = await create({ name: 'Moved', destination: 'Lake' });
  expect((await message(moved)).status).toBe(202);
  await test.restart(() => rmSync(file()));
  await test.request('PATCH', `/v1/pipelines/${moved}`, { body: { destination: 'telemetry' } });

  expect(await message(direct)).toMatchObject({ status: 503, body: { code: 'telemetry-unavailable' } });
  const missing = expect.stringContaining('telemetry.db is missing');
  await expect
    .poll(async () => (await pipeline(direct)).stateReason)
    .toMatchObject({ code: 'processing', detail: missing });
  await expect
    .poll(async () => (await pipeline(moved)).stateReason)
    .toMatchObject({ code: 'destination', detail: missing });
  expect((await pipeline(moved)).ledger).toMatchObject({ received: 1, pending: 1, rejected: 0 });
  await acceptLoss();
  await expect
    .poll(async () => (await pipeline(moved)).ledger)
    .toMatchObject({ delivered: 1, pending: 0, rejected: 0 });
});
