import { accessSync, constants, lstatSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { FileProblem } from '#contract/storage.ts';
import { toIsoTime } from '../../../platform/iso-time.ts';
import { createTaskQueues } from '../../../platform/task-queues.ts';
import { isCannotOpen, isDamage } from '../../../platform/storage/damaged-file.ts';
import { findFact, setFact, UnusableDatabase, type Db } from '../../../platform/storage/database.ts';
import { isNewerVersion } from '../../../platform/storage/dialects/newer-version.ts';
import type { DiskGuard } from '../../../platform/storage/disk-guard.ts';
import { isUnwritable } from '../../../platform/storage/disk-full.ts';
import { FREE_MIB, NOT_CONVERTED } from './convert-sample-table.ts';
import { openSqliteTelemetryStore } from './sqlite-telemetry-store.ts';
import type { TelemetryStore } from '../telemetry-store.ts';
import { TelemetryUnavailable } from '../../../platform/storage/store-errors.ts';
import type { OpenedTelemetry, TelemetryFile } from '../opened-telemetry.ts';

const TELEMETRY_FILE = 'telemetry.db';

/** Name of the fact that holds the lowest expected number of samples. */
const EXPECTATION = 'telemetry-expected';
const RECORD_EVERY_MS = 60_000;
const REPORT_CONVERSION_EVERY_MS = 5_000;

/** `isDeleting`: a deletion was running, so that there may be fewer samples. */
const expectationSchema = z.object({ samples: z.number(), isDeleting: z.boolean() });
type Expectation = z.infer<typeof expectationSchema>;

const isUnconverted = (error: unknown): error is Error =>
  error instanceof Error && error.message.startsWith(NOT_CONVERTED);

const HOW_TO_ACCEPT =
  'choose “Continue without samples”, or send `POST /v1/storage/accept-loss` with `{ "file": "telemetry.db" }`.';

const WHAT_TO_DO = `To keep the samples, stop Penstock, move telemetry.db away with its -wal and -shm files, extract telemetry.db from a backup (tar -xf penstock.tar -C "$DATA_DIR" telemetry.db) and start Penstock again. To continue without them, ${HOW_TO_ACCEPT}`;

const HOW_TO_OPEN = `To keep the samples, stop Penstock, put the file back in its place or allow this user to read and write it, and start Penstock again. To continue without them, ${HOW_TO_ACCEPT}`;

const HOW_TO_CONVERT = `Free at least ${FREE_MIB} MiB on the disk, make it writable and start Penstock again. To continue without the samples, ${HOW_TO_ACCEPT}`;

/** The files of a database: SQLite needs all of them, where they exist. */
const FILE_ENDS = ['', '-wal', '-shm'];

/** Why this user cannot use the file or its log; undefined: no reason is known. */
const findObstacle = (path: string, isReadOnly: boolean): string | undefined => {
  const mode = isReadOnly ? constants.R_OK : constants.R_OK | constants.W_OK;
  for (const end of FILE_ENDS)
    try {
      if (statSync(path + end).isDirectory()) return `${TELEMETRY_FILE}${end} is a directory, not a file.`;
      accessSync(path + end, mode);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES')
        return `This user cannot ${isReadOnly ? 'read' : 'read or write'} ${TELEMETRY_FILE}${end}.`;
      if (code !== 'ENOENT') return `${TELEMETRY_FILE}${end} cannot be opened (${code}).`;
    }
  return undefined;
};

const describeSamples = (count: number): string => `${count} ${count === 1 ? 'sample' : 'samples'}`;

/**
 * Opens telemetry.db and compares its number of samples with the expected number, so that a missing, damaged or older
 * file does not go unnoticed. If the file cannot be opened, every call throws TelemetryUnavailable.
 */
export const openTelemetryFile = async ({
  dataDir,
  db,
  disk,
  isReadOnly,
  metricsPerDevice,
  log,
  now,
  onProblem,
  onThreadEnd,
}: {
  dataDir: string;
  db: Db;
  disk: DiskGuard;
  isReadOnly: boolean;
  metricsPerDevice: number;
  log: Logger;
  now: () => number;
  /** Called when a problem is found or solved. */
  onProblem: () => void;
  /** Called if the telemetry thread ends before it is closed. Must end the process: nothing starts the thread again. */
  onThreadEnd: (error: Error) => void;
}): Promise<OpenedTelemetry & { readonly file: TelemetryFile }> => {
  const path = join(dataDir, TELEMETRY_FILE);
  const text = await findFact(db, EXPECTATION);
  let expected: Expectation =
    text === undefined ? { samples: 0, isDeleting: false } : expectationSchema.parse(JSON.parse(text));
  let inner: TelemetryStore | undefined;
  let problem: FileProblem | undefined;
  let deletions = 0;
  /** Two accepted losses at once would rename the new file too. Each save is compared with the previous one. */
  const queues = createTaskQueues();

  const report = (
    kind: FileProblem['problem'],
    detail: string,
    samples: number | null,
    whatToDo = WHAT_TO_DO,
  ): void => {
    // An incomplete file is in use, and may turn out to be damaged.
    if (problem !== undefined && problem.problem !== 'incomplete') return;
    problem = {
      file: TELEMETRY_FILE,
      problem: kind,
      detail: `${detail} ${whatToDo}`,
      expectedSamples: expected.samples,
      samples,
    };
    log.error({ file: path, expectedSamples: expected.samples, samples }, problem.detail);
    onProblem();
  };

  const reportDamage = ({ message }: Error): void =>
    report('damaged', `${TELEMETRY_FILE} is damaged (${message}).`, null);

  const saveExpectation = (next: Expectation): Promise<void> =>
    queues.run('save expectation', async () => {
      if (next.samples === expected.samples && next.isDeleting === expected.isDeleting) return;
      await setFact(db, EXPECTATION, JSON.stringify(next));
      expected = next;
    });

  /** Saves the current number of samples as the expected one, unless the file has a problem. */
  const record = async (): Promise<void> => {
    if (inner === undefined || problem !== undefined) return;
    const { samples } = await inner.stats();
    await saveExpectation({ samples, isDeleting: deletions > 0 });
  };

  const open = async (): Promise<void> => {
    let reportedAtMs = 0;
    inner = await openSqliteTelemetryStore(dataDir, {
      disk,
      isReadOnly,
      metricsPerDevice,
      onThreadEnd,
      onCompactionFailure: (error) => {
        if (isDamage(error)) reportDamage(error);
        else log.error({ err: error, file: path }, 'a compaction of telemetry.db failed and will be retried');
      },
      onConverted: (samples) => {
        if (performance.now() - reportedAtMs < REPORT_CONVERSION_EVERY_MS) return;
        reportedAtMs = performance.now();
        log.info({ file: path, samples, of: expected.samples }, 'converting telemetry of an earlier version');
      },
    });
  };

  const openAndCompare = async (): Promise<void> => {
    const obstacle = findObstacle(path, isReadOnly);
    if (obstacle !== undefined) {
      report('unreadable', obstacle, null, HOW_TO_OPEN);
      return;
    }
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0 && expected.samples > 0) {
      const least = `at least ${describeSamples(expected.samples)}`;
      report('missing', `${TELEMETRY_FILE} is missing; it held ${least}.`, null);
      return;
    }
    try {
      await open();
    } catch (error) {
      if (isUnconverted(error))
        report('unconverted', `${TELEMETRY_FILE}: ${error.message}`, null, HOW_TO_CONVERT);
      else if (isDamage(error)) reportDamage(error);
      else if (isCannotOpen(error))
        report('unreadable', `${TELEMETRY_FILE} cannot be opened (${error.message}).`, null, HOW_TO_OPEN);
      else throw isNewerVersion(error) ? new UnusableDatabase(error.message, { isFinal: true }) : error;
      return;
    }
    const samples = (await inner?.stats())?.samples ?? 0;
    if (samples < expected.samples && !expected.isDeleting)
      report(
        'incomplete',
        `${TELEMETRY_FILE} holds ${describeSamples(samples)}; at least ${expected.samples} are expected.`,
        samples,
      );
  };

  const attempt = async <T>(work: (store: TelemetryStore) => Promise<T>): Promise<T> => {
    if (inner === undefined)
      throw new TelemetryUnavailable(
        problem?.detail ?? `Penstock is opening ${TELEMETRY_FILE}. Try again in a few seconds.`,
      );
    try {
      return await work(inner);
    } catch (error) {
      if (!isDamage(error)) throw error;
      reportDamage(error);
      throw new TelemetryUnavailable(problem?.detail ?? error.message);
    }
  };

  const store: TelemetryStore = {
    countsRepeats: true,
    write: (batch) => attempt((own) => own.write(batch)),
    countSeries: (devices, metrics) => attempt((own) => own.countSeries(devices, metrics)),
    countSeriesByDevice: (devices, metrics) => attempt((own) => own.countSeriesByDevice(devices, metrics)),
    read: (selection, resolution, aggregates) =>
      attempt((own) => own.read(selection, resolution, aggregates)),
    readCombined: (selection, resolution, options) =>
      attempt((own) => own.readCombined(selection, resolution, options)),
    scan: (selection, limit, after) => attempt((own) => own.scan(selection, limit, after)),
    metrics: (devices, metrics, untilMs) => attempt((own) => own.metrics(devices, metrics, untilMs)),
    remove: (selection) =>
      attempt(async (own) => {
        deletions += 1;
        try {
          if (problem === undefined) await saveExpectation({ ...expected, isDeleting: true });
          return await own.remove(selection);
        } finally {
          deletions -= 1;
        }
      }),
    stats: () => attempt((own) => own.stats()),
    close: async () => inner?.close(),
  };

  const recordQuietly = (): Promise<void> =>
    record().catch((error: unknown) => {
      if (!isUnwritable(error) && !isDamage(error))
        log.error({ err: error }, 'could not record the number of stored samples');
    });

  const acceptLoss = async (): Promise<FileProblem | undefined> => {
    if (problem === undefined) return undefined;
    disk.requireWritable();
    const samples = problem.problem === 'incomplete' ? ((await inner?.stats())?.samples ?? 0) : 0;
    // Saved before the file changes: if the disk has no room, nothing has happened and the request can be repeated.
    await saveExpectation({ samples, isDeleting: deletions > 0 });
    const solved = problem;
    if (solved.problem !== 'missing' && solved.problem !== 'incomplete') {
      await inner?.close();
      inner = undefined;
      const kept = `${path}.${solved.problem}-${toIsoTime(now()).replaceAll(':', '-')}`;
      for (const end of FILE_ENDS)
        if (lstatSync(path + end, { throwIfNoEntry: false }) !== undefined)
          renameSync(path + end, kept + end);
    }
    if (inner === undefined) await open();
    problem = undefined;
    onProblem();
    return solved;
  };

  await openAndCompare();
  await recordQuietly();
  const timer = setInterval(() => void recordQuietly(), RECORD_EVERY_MS);
  timer.unref();

  return {
    store,
    file: {
      problem: () => problem,
      acceptLoss: () => queues.run('accept loss', acceptLoss),
    },
    close: async () => {
      clearInterval(timer);
      // The count must not get lost if the service stops on a full disk.
      await disk.withReserve(recordQuietly);
      await store.close();
    },
  };
};
