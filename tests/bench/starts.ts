import { execFile } from 'node:child_process';
import { constants, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import { startKillableService, type KillableService } from '../kill/parts/killable-service.ts';
import { batchOf } from '../service/batch-of.ts';
import type { FillOptions } from './store-starts/fill-store.ts';

/**
 * How soon a service answers after its start, with 5,000 series of telemetry: stopped before, killed in the middle of a
 * compaction with a full journal, and killed under load. SAMPLES sets the number of samples (default: 10,000,000).
 */
const SAMPLES = Number(process.env['SAMPLES'] ?? 10_000_000);
const DEVICES = 1_000;
const METRICS = ['m0', 'm1', 'm2', 'm3', 'm4'];
const SERIES = DEVICES * METRICS.length;
const STARTS = 3;
const SENDERS = 4;
const LOAD_MS = 5_000;
const DAY_MS = 86_400_000;

const FILL = join(import.meta.dirname, 'store-starts/fill-store.ts');
const deviceOf = (n: number): string => `device-${n}`;

const bodyAt = (ts: number) => ({
  samples: Array.from({ length: DEVICES }, (_, n) => ({
    device: deviceOf(n),
    ts,
    values: Object.fromEntries(METRICS.map((metric, i) => [metric, n + i / 10])),
  })),
});

const fill = (options: FillOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [FILL, JSON.stringify(options)], (error, _stdout, stderr) => {
      if (error === null || (options.kill && error.signal === 'SIGKILL')) resolve();
      else reject(new Error(`The store could not be filled: ${stderr}`));
    });
  });

/** Repeats a request until the service answers it. Returns the time since `begun`. */
const untilAnswered = async (begun: number, ask: () => Promise<{ status: number }>): Promise<number> => {
  for (;;) {
    const { status } = await ask().catch(() => ({ status: 0 }));
    if (status === 200) return performance.now() - begun;
    await delay(2);
  }
};

const read = ({ call }: KillableService) =>
  call('POST', '/v1/telemetry/query', {
    devices: [deviceOf(7)],
    metrics: ['m1'],
    from: Date.now() - DAY_MS,
    to: Date.now(),
    points: 500,
  });
const write = ({ call }: KillableService) =>
  call('POST', '/v1/telemetry', { samples: [{ device: deviceOf(7), ts: Date.now(), values: { m1: 1 } }] });

const stop = (service: KillableService): Promise<void> =>
  service.endBy((pid) => void process.kill(pid, 'SIGTERM'));

type Files = { readonly dataDir: string; readonly keptDir: string };

const copyStore = (from: string, to: string): void => {
  for (const name of ['telemetry.db', 'telemetry.db-wal']) {
    rmSync(join(to, name), { force: true });
    if (existsSync(join(from, name)))
      copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
  }
  rmSync(join(to, 'telemetry.db-shm'), { force: true });
};

/** The store alone: its thread started and answered, then one read and one write. */
const openStore = async ({ dataDir, keptDir }: Files): Promise<number[]> => {
  copyStore(keptDir, dataDir);
  const begun = performance.now();
  const store = await openSqliteTelemetryStore(dataDir);
  const opened = performance.now();
  await store.metrics(['dev_new'], undefined);
  const answered = performance.now();
  await store.write(batchOf([{ device: 'dev_new', metric: 'm', ts: Date.now(), value: 1 }]));
  const written = performance.now();
  await store.close();
  return [opened - begun, answered - opened, written - opened];
};

const startService = async (service: KillableService, { dataDir, keptDir }: Files): Promise<number[]> => {
  copyStore(keptDir, dataDir);
  const begun = performance.now();
  service.launch();
  const figures = await Promise.all([
    untilAnswered(begun, () => service.call('GET', '/v1/connection')),
    untilAnswered(begun, () => read(service)),
    untilAnswered(begun, () => write(service)),
  ]);
  await stop(service);
  return figures;
};

const slowest = (rows: readonly number[][]): number[] =>
  rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!)));

const report = async (name: string, service: KillableService, files: Files): Promise<void> => {
  const opens: number[][] = [];
  const starts: number[][] = [];
  for (let n = 0; n < STARTS; n += 1) {
    opens.push(await openStore(files));
    starts.push(await startService(service, files));
  }
  const bytes = ['telemetry.db', 'telemetry.db-wal'].map(
    (file) => statSync(join(files.keptDir, file), { throwIfNoEntry: false })?.size ?? 0,
  );
  const figures = [...slowest(opens), ...slowest(starts)].map((ms) => ms.toFixed(0));
  const sizes = bytes.map((size) => (size / 2 ** 20).toFixed(0));
  process.stdout.write(`| ${[name, ...sizes, ...figures].join(' | ')} |\n`);
};

/** Writes as fast as the service answers, then kills it. */
const killUnderLoad = async (service: KillableService): Promise<void> => {
  await service.start();
  const stopped = new AbortController();
  let ts = Date.now() - 3_600_000;
  const sender = async (): Promise<void> => {
    while (!stopped.signal.aborted)
      await service.call('POST', '/v1/telemetry', bodyAt((ts += 1_000))).catch(() => undefined);
  };
  const senders = Array.from({ length: SENDERS }, sender);
  await delay(LOAD_MS);
  await service.kill();
  stopped.abort();
  await Promise.all(senders);
};

const dir = mkdtempSync(join(tmpdir(), 'penstock-bench-starts-'));
try {
  const keptDir = join(dir, 'kept');
  mkdirSync(keptDir);
  const service = await startKillableService(dir);
  const { dataDir } = service;
  const files = { dataDir, keptDir };
  const path = join(dataDir, 'telemetry.db');
  const keep = () => copyStore(dataDir, keptDir);
  // Before all other samples, so that these are not late.
  await service.call('POST', '/v1/telemetry', bodyAt(Date.now() - 30 * DAY_MS));
  await stop(service);
  keep();
  process.stdout.write(
    `${SAMPLES.toLocaleString('en')} samples, ${SERIES.toLocaleString('en')} series; ${availableParallelism()} × ${cpus()[0]?.model}. Slowest of ${STARTS}, in ms\n\n` +
      '| store | file, MiB | log, MiB | store opens | then reads | then writes | service answers | reads | writes |\n|---|---|---|---|---|---|---|---|---|\n',
  );
  await report('one sample per series', service, files);
  const samples = SAMPLES / SERIES;
  const endMs = Date.now() - DAY_MS / 4;
  copyStore(keptDir, dataDir);
  await fill({ path, samples, endMs, kill: false });
  keep();
  await report('stopped', service, files);
  copyStore(keptDir, dataDir);
  await fill({ path, samples: 0, endMs, kill: true });
  keep();
  await report('killed with a full journal', service, files);
  copyStore(keptDir, dataDir);
  await killUnderLoad(service);
  keep();
  await report('killed under load', service, files);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
