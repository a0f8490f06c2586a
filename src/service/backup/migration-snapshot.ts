import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { formatMebibytes } from '../platform/storage/format-mebibytes.ts';
import { isCannotOpen, isDamage } from '../platform/storage/damaged-file.ts';
import { UnusableDatabase } from '../platform/storage/database.ts';
import { isDiskFull } from '../platform/storage/disk-full.ts';
import {
  copySnapshot,
  databaseBytesOf,
  isFilled,
  openSnapshot,
  type DatabaseSync,
} from '../platform/storage/dialects/sqlite.ts';
import { freeBytesOf } from '../platform/storage/read-only-state.ts';
import { VERSION } from '../platform/version.ts';
import { DATA_FILES, findMigration, type DataFile } from './data-files.ts';
import { sync } from './disk-space.ts';

/** Free space that the migration itself needs. */
const MIGRATION_BYTES = 16 * 1_048_576;
const REPORT_EVERY_MS = 5_000;

/** The end of the names of copies that this version of Penstock writes. */
const OWN = `.before-${VERSION}`;
const snapshotOf = (file: DataFile): string => `${file}${OWN}`;
/** A copy gets its name once it is complete and on the disk. */
const PARTIAL = '.partial';

type Options = {
  dataDir: string;
  /** The databases of the service that are files. */
  files: readonly DataFile[];
  log: Logger;
};

type PendingMigration = { readonly file: DataFile; readonly state: 'due' | 'begun'; readonly bytes: number };

/** A telemetry.db that cannot be read does not prevent a start: the store reports it. */
const isReportedLater = (file: DataFile, error: unknown): boolean =>
  file === 'telemetry.db' &&
  (isDamage(error) || isCannotOpen(error) || (error instanceof Error && 'syscall' in error));

const withDatabase = async <T>(path: string, work: (db: DatabaseSync) => T | Promise<T>): Promise<T> => {
  const db = openSnapshot(path, { isReadOnly: false });
  try {
    return await work(db);
  } finally {
    db.close();
  }
};

const findPending = async ({ dataDir, files }: Options): Promise<PendingMigration[]> => {
  const pending: PendingMigration[] = [];
  for (const file of files)
    try {
      if (!isFilled(join(dataDir, file))) continue;
      await withDatabase(join(dataDir, file), (db) => {
        const state = findMigration[file](db);
        if (state !== undefined) pending.push({ file, state, bytes: databaseBytesOf(db) });
      });
    } catch (error) {
      if (!isReportedLater(file, error)) throw error;
    }
  return pending;
};

/** The files of a data directory that are snapshots of the databases, or parts of one. */
const listSnapshots = (dataDir: string): string[] =>
  readdirSync(dataDir).filter((name) => DATA_FILES.some((file) => name.startsWith(`${file}.before-`)));

const isPartial = (name: string): boolean => name.includes(PARTIAL);

/**
 * The snapshots of earlier migrations. A snapshot of this version may be the only copy of a database that an earlier
 * start of this version migrated, before it was killed or while the other database could not be read.
 */
const listOlder = (dataDir: string): string[] =>
  listSnapshots(dataDir).filter((name) => !isPartial(name) && !name.endsWith(OWN));

const removePartial = (dataDir: string): void => {
  for (const name of listSnapshots(dataDir).filter(isPartial)) rmSync(join(dataDir, name), { force: true });
};

const bytesNeeded = (copied: readonly PendingMigration[]): number =>
  copied.reduce((sum, { bytes }) => sum + bytes, MIGRATION_BYTES);

const tooLittleSpace = (dataDir: string, copied: readonly PendingMigration[]): UnusableDatabase => {
  const names = copied.map(({ file }) => file).join(' and ');
  const [older] = listOlder(dataDir);
  return new UnusableDatabase(
    `Penstock ${VERSION} copies ${names} before it migrates the data. This needs ${formatMebibytes(bytesNeeded(copied))} on the disk of DATA_DIR "${dataDir}", which has ${formatMebibytes(freeBytesOf(dataDir))} free. Nothing was changed. Free space${older === undefined ? '' : `, for example by deleting ${older}`}, or set MIGRATION_SNAPSHOT=none after a backup to another disk. Then start Penstock again.`,
  );
};

const copyFile = async (path: string, copy: string, log: Logger): Promise<void> => {
  // It contains secrets: only the owner can read it.
  writeFileSync(copy, '', { mode: 0o600 });
  let reportedAtMs = performance.now();
  await withDatabase(path, (db) =>
    copySnapshot(db, copy, (done) => {
      if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return;
      reportedAtMs = performance.now();
      log.info({ file: path, percent: Math.floor(done * 100) }, 'copying the database before its migration');
    }),
  );
  await sync(copy);
};

/** Copies databases that are not migrated yet, so that the copies match. */
const writeSnapshot = async (
  { dataDir, log }: Options,
  pending: readonly PendingMigration[],
): Promise<void> => {
  const copied = pending.filter(({ state }) => state === 'due');
  if (copied.length === 0) return;
  if (freeBytesOf(dataDir) < bytesNeeded(copied)) throw tooLittleSpace(dataDir, copied);
  const pathOf = (name: string) => join(dataDir, name);
  try {
    for (const { file } of copied) await copyFile(pathOf(file), pathOf(snapshotOf(file) + PARTIAL), log);
  } catch (error) {
    removePartial(dataDir);
    // A quota can be exhausted while the disk has free space.
    throw isDiskFull(error) ? tooLittleSpace(dataDir, copied) : error;
  }
  for (const { file } of copied) renameSync(pathOf(snapshotOf(file) + PARTIAL), pathOf(snapshotOf(file)));
  await sync(dataDir);
  // The copy of a file whose conversion has begun is still the newest of that file.
  const begun = pending.filter(({ state }) => state === 'begun').map(({ file }) => file);
  for (const name of listOlder(dataDir))
    if (!begun.some((file) => name.startsWith(file))) rmSync(pathOf(name));
  log.info(
    { snapshot: copied.map(({ file }) => pathOf(snapshotOf(file))) },
    'copied the databases before their migration; to go back, see docs/backup.md',
  );
};

/**
 * Copies the databases that this version of Penstock migrates, and keeps the newest copies. A kill leaves the
 * databases as they are, and the next start removes partial copies. @throws UnusableDatabase if the disk has too
 * little space
 */
export const snapshotBeforeMigration = async (options: Options): Promise<void> => {
  removePartial(options.dataDir);
  await writeSnapshot(options, await findPending(options));
};
