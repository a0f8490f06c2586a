import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { inTransaction, isDiskFull, migrateSqlite, openSqlite } from '../storage/sqlite.ts';
import { createSampleReader } from './sample-reader.ts';
import { createSampleWriter } from './sample-writer.ts';
import { describeSeries, findSeries, metricOf } from './series-table.ts';
import { telemetryMigrations } from './telemetry-schema.ts';
import type { Selection, TelemetryStore, WriteBatch } from './telemetry-store.ts';

/** What the proxy asks of this thread, and what it is told. */
export type Request = { id: number; method: keyof TelemetryStore; args: unknown[] };
export type Reply = { id: number; result?: unknown; error?: { message: string; isDiskFull: boolean } };

const port = parentPort!;
const { path } = workerData as { path: string };
const db = openSqlite(path);
migrateSqlite(db, telemetryMigrations);
const writer = createSampleWriter(db);
const reader = createSampleReader(db);

const remove = ({ devices, metrics, fromMs, toMs }: Selection): number => {
  const drop = db.prepare(
    'DELETE FROM sample WHERE series = ? AND ts >= CAST(? AS INTEGER) AND ts < CAST(? AS INTEGER)',
  );
  const shrink = db.prepare('UPDATE series SET samples = samples - ? WHERE id = ?');
  const removed = inTransaction(db, () => {
    let total = 0;
    for (const { id } of findSeries(db, devices, metrics)) {
      const { changes } = drop.run(
        id,
        Math.max(fromMs, Number.MIN_SAFE_INTEGER),
        Math.min(toMs, Number.MAX_SAFE_INTEGER),
      );
      shrink.run(changes, id);
      total += Number(changes);
    }
    db.exec('DELETE FROM series WHERE samples = 0');
    return total;
  });
  writer.forget();
  return removed;
};

const fileBytes = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const methods: {
  [M in Exclude<keyof TelemetryStore, 'write' | 'close'>]: (
    ...args: Parameters<TelemetryStore[M]>
  ) => unknown;
} = {
  countSeries: (devices, metrics) => findSeries(db, devices, metrics).length,
  read: reader.read,
  scan: reader.scan,
  metrics: (devices, metrics) =>
    findSeries(db, devices, metrics).flatMap((series) => metricOf(db, series) ?? []),
  describe: (device, metric, change) => {
    describeSeries(db, device, metric, change);
    const [series] = findSeries(db, [device], [metric]);
    return series === undefined ? undefined : metricOf(db, series);
  },
  remove,
  stats: () => ({
    samples: Number(db.prepare('SELECT total(samples) AS n FROM series').get()?.['n']),
    bytes: fileBytes(path) + fileBytes(`${path}-wal`),
  }),
};

const answer = (id: number, work: () => unknown): void => {
  try {
    port.postMessage({ id, result: work() } satisfies Reply);
  } catch (error) {
    refuse(id, error);
  }
};

const refuse = (id: number, error: unknown): void =>
  port.postMessage({
    id,
    error: { message: error instanceof Error ? error.message : String(error), isDiskFull: isDiskFull(error) },
  } satisfies Reply);

/** Writes that arrived together: they share one transaction, and so one wait for the disk. */
let waiting: { id: number; batch: WriteBatch }[] = [];

const flush = (): void => {
  const writes = waiting;
  waiting = [];
  if (writes.length === 0) return;
  try {
    const results = inTransaction(db, () =>
      writes.map(({ id, batch }) => ({ id, result: writer.write(batch) })),
    );
    for (const reply of results) port.postMessage(reply satisfies Reply);
  } catch (error) {
    writer.forget();
    for (const { id } of writes) refuse(id, error);
  }
};

port.on('message', ({ id, method, args }: Request) => {
  if (method === 'write') {
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({ id, batch: args[0] as WriteBatch });
    return;
  }
  // In the order of the calls: what was written before is seen.
  flush();
  if (method === 'close') {
    db.close();
    port.postMessage({ id } satisfies Reply);
    port.close();
    return;
  }
  answer(id, () => (methods[method] as (...args: unknown[]) => unknown)(...args));
});
