import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteReadOnly } from '#service/platform/storage/dialects/sqlite.ts';
import { openSqliteTelemetryStore } from '#service/telemetry/store/embedded/sqlite-telemetry-store.ts';
import type { TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';
import { canTrace } from '../../service/strace.ts';
import { seededRandom } from './seeded-random.ts';
import { Content, deviceOf } from './store-history.ts';
import { runUntilKilled, type Moment } from './store-writer.ts';
import { readSyncedBytes } from './synced-bytes.ts';
import { commitsIn, cutWal } from './wal-cuts.ts';
import { WriterHistory } from './writer-history.ts';

const WRITERS = 4;
const DATABASE = 'telemetry.db';
const WAL = `${DATABASE}-wal`;
const FILES = [DATABASE, WAL];
/** Every fourth kill is traced, and its log is cut at the last sync and at random positions after it. */
const TRACE_EVERY = 4;
const CUTS = 3;
const REPORT_EVERY = 50;
const SCAN_LIMIT = 1_000_000;

const contentOf = async (store: TelemetryStore, device: string): Promise<Content> => {
  const selection = { devices: [device], fromMs: -Infinity, toMs: Infinity };
  return Content.of((await store.scan(selection, SCAN_LIMIT)).series);
};

/** Rows that nothing refers to, and pages that SQLite finds malformed. */
const structureFaults = (path: string): string[] => {
  const db = openSqliteReadOnly(path);
  try {
    const { integrity_check: integrity } = db.prepare('PRAGMA integrity_check').get() ?? {};
    const countOf = (rows: string): number =>
      Number(db.prepare(`SELECT count(*) AS n FROM ${rows}`).get()?.['n']);
    const orphans = countOf('chunk_data WHERE id NOT IN (SELECT data FROM chunk)');
    const lone = countOf('chunk WHERE data <> 0 AND data NOT IN (SELECT id FROM chunk_data)');
    return [
      ...(integrity === 'ok' ? [] : [`integrity_check: ${String(integrity)}`]),
      ...(orphans === 0 ? [] : [`${orphans} rows of chunk_data without a chunk`]),
      ...(lone === 0 ? [] : [`${lone} chunks without data`]),
    ];
  } finally {
    db.close();
  }
};

/** Opens the store in a folder, as a start does, and compares its content with the answered operations. */
const faultsIn = async (dataDir: string, histories: readonly WriterHistory[]): Promise<string[]> => {
  const faults: string[] = [];
  const store = await openSqliteTelemetryStore(dataDir);
  let total = 0;
  for (const [writer, history] of histories.entries()) {
    const content = await contentOf(store, deviceOf(writer));
    total += content.count;
    const fault = history.faultOf(content);
    if (fault !== undefined) faults.push(fault);
  }
  const { samples } = await store.stats();
  if (samples !== total) faults.push(`the store counts ${samples} samples and holds ${total}`);
  await store.close();
  return [...faults, ...structureFaults(join(dataDir, DATABASE))];
};

const copyFiles = (from: string, to: string): void => {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to);
  for (const file of FILES) if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file));
};

/** Whether a compaction was running when the process was killed. False before the first start. */
const wasCompacting = (dataDir: string): boolean => {
  const db = openSqliteReadOnly(join(dataDir, DATABASE));
  try {
    return Number(db.prepare('SELECT compacted_seq FROM progress').get()?.['compacted_seq']) > 0;
  } catch {
    return false;
  } finally {
    db.close();
  }
};

const momentOf = (random: () => number, readyMs: number): Moment => {
  const kind = random();
  if (kind < 0.4) return { atAnswer: 1 + Math.floor(random() * 200) };
  if (kind < 0.8) return { afterFirstAnswerMs: random() * 500 };
  return { afterStartMs: random() * readyMs * 1.2 };
};

export type StoreKills = {
  kills: number;
  operations: number;
  compacting: number;
  cutLogs: number;
  faults: string[];
};

/**
 * Repeatedly kills a process that writes to a telemetry store, and after each kill compares the content of the store with
 * the answered operations. After some kills the log is cut after its last sync, as a loss of power would.
 */
export const runStoreKills = async (
  { times, seed }: { times: number; seed: number },
  print: (line: string) => void,
): Promise<StoreKills & { keptAt: string | undefined }> => {
  const root = mkdtempSync(join(tmpdir(), 'penstock-store-kill-'));
  const [dataDir, image, traceFile] = [join(root, 'data'), join(root, 'image'), join(root, 'trace')];
  mkdirSync(dataDir);
  const random = seededRandom(seed);
  const histories = Array.from({ length: WRITERS }, (_, writer) => new WriterHistory(seed, writer));
  const result: StoreKills = { kills: 0, operations: 0, compacting: 0, cutLogs: 0, faults: [] };
  const isTracing = canTrace();
  if (!isTracing) print('strace is not installed, so no log is cut after its last sync.');
  let startMs = 500;

  const check = async (prepare: () => void): Promise<void> => {
    copyFiles(dataDir, image);
    prepare();
    const faults = await faultsIn(image, histories).catch((error: unknown) => [
      `not opened: ${String(error)}`,
    ]);
    for (const fault of faults) print(`Kill ${result.kills}: ${fault}`);
    result.faults.push(...faults);
  };

  for (let kill = 1; kill <= times && result.faults.length === 0; kill += 1) {
    const isTraced = isTracing && kill % TRACE_EVERY === 0;
    rmSync(traceFile, { force: true });
    const from = histories.map(({ answered }) => answered + 1);
    const moment = momentOf(random, startMs);
    const wal = join(dataDir, WAL);
    // A log that started over keeps the frames of the one before it.
    const inherited = existsSync(wal) ? (commitsIn(readFileSync(wal)).at(-1) ?? 0) : 0;
    const { answered, readyMs } = await runUntilKilled(
      { dataDir, seed, from },
      moment,
      isTraced ? traceFile : undefined,
    );
    if (!isTraced) startMs = readyMs ?? startMs;
    result.kills = kill;
    for (const [writer, history] of histories.entries()) {
      result.operations += answered[writer]! - history.answered;
      history.advanceTo(answered[writer]!);
    }
    await check(() => {
      if (wasCompacting(image)) result.compacting += 1;
    });
    if (isTraced && existsSync(wal) && existsSync(traceFile)) {
      const end = commitsIn(readFileSync(wal)).at(-1) ?? 0;
      const { synced } = readSyncedBytes(traceFile, inherited);
      for (let cut = 0; cut < CUTS; cut += 1) {
        const kept = cut === 0 ? synced : synced + Math.floor(random() * Math.max(0, end - synced));
        await check(() => cutWal(join(image, WAL), kept, Math.floor(random() * 8_192)));
        result.cutLogs += 1;
      }
    }
    if (kill % REPORT_EVERY === 0 || kill === times)
      print(
        `${kill} kills: ${result.operations.toLocaleString('en')} operations answered, ${result.compacting} kills during a compaction, ${result.cutLogs} cut logs, ${result.faults.length} errors`,
      );
  }
  const hasPassed = result.faults.length === 0;
  if (hasPassed) rmSync(root, { recursive: true, force: true });
  return { ...result, keptAt: hasPassed ? undefined : root };
};
