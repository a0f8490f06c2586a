import { openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { packBatch } from '#service/telemetry/store/embedded/pack-batch.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { SampleCollector } from '#service/telemetry/write/sample-collector.ts';
import { KIND } from '#service/telemetry/store/sample-columns.ts';

/**
 * A process that writes samples straight into a telemetry.db that has series already: to each of them `samples` of a walk of
 * tenths, as fast as the store takes them. `kill`: it then writes on, and kills itself in the middle of a compaction when
 * further writes would have to wait.
 */
export type FillOptions = {
  readonly path: string;
  readonly samples: number;
  readonly endMs: number;
  readonly kill: boolean;
};

const { path, samples, endMs, kill } = JSON.parse(process.argv[2] ?? '{}') as FillOptions;
const STEP_MS = 10_000;
const VALUES_PER_WRITE = 50_000;
/** Slices of the compaction as in the service: between writes, and while writes wait. */
const SLICE_MS = { beside: 5, alone: 15 };

const db = openSqlite(path);
db.exec('PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 8000');
const store = new SampleStore(db);
const series = db.prepare('SELECT id, device, metric FROM series ORDER BY id').all();
const steps = Math.floor(VALUES_PER_WRITE / series.length);
const tenths = new Int32Array(series.length).fill(200);
let state = 12_345;

const batchFrom = (fromMs: number) => {
  const batch = new SampleCollector();
  const numbers = series.map(({ device, metric }) =>
    batch.series.seriesNumber(
      batch.series.deviceNumber(String(device)),
      batch.series.metricNumber(String(metric)),
      KIND.number,
    ),
  );
  for (let step = 0; step < steps; step += 1)
    for (const [i, number] of numbers.entries()) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      tenths[i]! += ((state >>> 16) % 3) - 1;
      batch.addCell(0, number, fromMs + step * STEP_MS, tenths[i]! / 10);
    }
  return packBatch(batch.reading());
};

let nextMs = endMs - (samples - Math.floor(store.samples / series.length) + 100 * steps) * STEP_MS;
/** Writes if the store takes writes, and works on its compaction, as its thread does. */
const advance = (): void => {
  if (!store.isBehind) {
    store.write([batchFrom(nextMs)]);
    nextMs += steps * STEP_MS;
  }
  store.compact(store.isBehind ? SLICE_MS.alone : SLICE_MS.beside);
};

while (store.samples < samples * series.length) advance();
if (kill) {
  const middle = Number(series[Math.floor(series.length / 2)]?.['id']);
  const progress = db.prepare('SELECT compacted_series FROM progress');
  const isInMiddle = (): boolean => Number(progress.get()?.['compacted_series']) >= middle;
  while (isInMiddle()) advance();
  while (!isInMiddle() || !store.isBehind) advance();
  process.kill(process.pid, 'SIGKILL');
}
while (store.compact(1_000));
db.close();
