import { inTransaction, openSqlite } from '#service/platform/storage/dialects/sqlite.ts';
import { ChunkTable } from '#service/telemetry/store/embedded/chunk-table.ts';
import { packBatch } from '#service/telemetry/store/pack-batch.ts';
import { RollupTable } from '#service/telemetry/store/embedded/rollup-table.ts';
import { SampleStore } from '#service/telemetry/store/embedded/sample-store.ts';
import { STORE_SIZES } from '#service/telemetry/store/embedded/store-sizes.ts';
import { SampleCollector } from '#service/telemetry/write/sample-collector.ts';
import { KIND } from '#service/telemetry/store/sample-columns.ts';

/**
 * A process that adds `samples` of a walk of tenths to each series of a telemetry.db, straight into chunks. `kill`: it then
 * writes as fast as the store takes writes, and kills itself in the middle of a compaction when further writes would have to wait.
 */
export type FillOptions = {
  readonly path: string;
  readonly samples: number;
  readonly endMs: number;
  readonly kill: boolean;
};

const { path, samples, endMs, kill } = JSON.parse(process.argv[2] ?? '{}') as FillOptions;
const STEP_MS = 10_000;
const SERIES_PER_TRANSACTION = 50;
const VALUES_PER_WRITE = 50_000;
/** Slices of the compaction as in the service: between writes, and while writes wait. */
const SLICE_MS = { beside: 5, alone: 15 };

const db = openSqlite(path);
db.exec('PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 8000');
const series = db.prepare('SELECT id, device, metric FROM series ORDER BY id').all();

let state = 12_345;
const nextStep = (): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return ((state >>> 16) % 3) - 1;
};

const fillChunks = (): void => {
  const chunks = new ChunkTable(db, new RollupTable(db), STORE_SIZES.samplesPerChunk);
  const ts = Float64Array.from({ length: samples }, (_, n) => endMs - (samples - n) * STEP_MS);
  const count = db.prepare('UPDATE progress SET samples = samples + ?');
  for (let from = 0; from < series.length; from += SERIES_PER_TRANSACTION)
    inTransaction(db, () => {
      for (const { id } of series.slice(from, from + SERIES_PER_TRANSACTION)) {
        let tenths = 200;
        chunks.insert(Number(id), { ts, cells: Float64Array.from(ts, () => (tenths += nextStep()) / 10) });
        count.run(samples);
      }
    });
};

const batchFrom = (fromMs: number, steps: number) => {
  const batch = new SampleCollector();
  const numbers = series.map(({ device, metric }) =>
    batch.series.seriesNumber(
      batch.series.deviceNumber(String(device)),
      batch.series.metricNumber(String(metric)),
      KIND.number,
    ),
  );
  for (let step = 0; step < steps; step += 1)
    for (const number of numbers)
      batch.addCell(0, number, fromMs + step * STEP_MS, (200 + 10 * nextStep()) / 10);
  return packBatch(batch.reading());
};

const floodUntilKilled = (): never => {
  const store = new SampleStore(db);
  const steps = Math.floor(VALUES_PER_WRITE / series.length);
  const middle = Number(series[Math.floor(series.length / 2)]?.['id']);
  const progress = db.prepare('SELECT compacted_series FROM progress');
  const isInMiddle = (): boolean => Number(progress.get()?.['compacted_series']) >= middle;
  for (let nextMs = endMs; !isInMiddle() || !store.isBehind;) {
    if (!store.isBehind) {
      store.write([batchFrom(nextMs, steps)]);
      nextMs += steps * STEP_MS;
    }
    store.compact(store.isBehind ? SLICE_MS.alone : SLICE_MS.beside);
  }
  process.kill(process.pid, 'SIGKILL');
  throw new Error('The process was not killed.');
};

if (samples > 0) fillChunks();
if (kill) floodUntilKilled();
db.close();
