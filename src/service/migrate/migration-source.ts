import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { referencesIn } from '#contract/connection-fields.ts';
import { DATA_FILES, findMigration, findSchemaProblem, type DataFile } from '../backup/data-files.ts';
import { nameDamage } from '../backup/inspect-files.ts';
import { isFilled, openSqliteReadOnly, type DatabaseSync } from '../platform/storage/dialects/sqlite.ts';
import { probeReadOnly } from '../platform/storage/disk-full.ts';
import { DirectoryInUse, lockDirectory } from '../platform/storage/lock-directory.ts';
import { SampleStore } from '../telemetry/store/embedded/sample-store.ts';
import { readEmbeddedBatches } from './embedded-batches.ts';
import { MigrationError } from './migration-error.ts';
import type { SampleSource } from './sample-source.ts';
import { lastNumberOf } from './source-tables.ts';

/** The databases of a data directory that no service uses, opened read-only. */
export type MigrationSource = {
  readonly dataDir: string;
  readonly metadata: DatabaseSync;
  readonly telemetry: SampleSource;
  close(): void;
};

const lock = (dataDir: string): (() => void) => {
  try {
    return lockDirectory(dataDir, { mayCreate: !probeReadOnly(dataDir) });
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    throw new MigrationError(`Penstock is running with "${dataDir}". Stop it, then run the command again.`, {
      cause: error,
    });
  }
};

/** Every start of a service changes at least the time of a file. */
const identify = (dataDir: string): string => {
  const digest = createHash('sha256');
  for (const name of DATA_FILES.flatMap((file) => [file, `${file}-wal`])) {
    const stats = statSync(join(dataDir, name), { throwIfNoEntry: false });
    // An empty log counts as missing.
    const isThere = stats !== undefined && stats.size > 0;
    digest.update(`${name} ${isThere ? `${stats.size} ${stats.mtimeMs}` : ''}\n`);
  }
  return digest.digest('hex');
};

const openFile = (dataDir: string, file: DataFile): DatabaseSync => {
  const path = join(dataDir, file);
  if (!isFilled(path))
    throw new MigrationError(
      `There is no ${file} in "${dataDir}". Set --from to its DATA_DIR, or to the postgres:// URL of telemetry in PostgreSQL.`,
    );
  const db = openSqliteReadOnly(path);
  try {
    const problem = findSchemaProblem(file, db);
    if (problem !== undefined) throw new MigrationError(problem);
    if (findMigration[file](db) !== undefined)
      throw new MigrationError(
        `An earlier version of Penstock wrote ${file} in "${dataDir}". Start this version once with this DATA_DIR, stop Penstock, then run the command again.`,
      );
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/**
 * Locks and opens a data directory. @throws MigrationError, BackupError if a file is damaged, or an error of the
 * system
 */
export const openMigrationSource = async (dataDir: string): Promise<MigrationSource> => {
  if (!existsSync(dataDir))
    throw new MigrationError(`There is no directory "${dataDir}". Specify an existing DATA_DIR.`);
  const closers = [lock(dataDir)];
  const close = () => closers.toReversed().forEach((end) => end());
  const open = (file: DataFile) =>
    nameDamage(file, () => {
      const db = openFile(dataDir, file);
      closers.push(() => db.close());
      return db;
    });
  try {
    const metadata = await open('penstock.db');
    const telemetry = await open('telemetry.db');
    const store = await nameDamage('telemetry.db', () => new SampleStore(telemetry));
    const samples: SampleSource = {
      place: 'telemetry.db',
      identity: identify(dataDir),
      samples: store.samples,
      lastSeries: lastNumberOf(telemetry, 'series'),
      readBatches: (from, samplesPerBatch) => readEmbeddedBatches(store, from, samplesPerBatch),
    };
    return { dataDir, metadata, telemetry: samples, close };
  } catch (error) {
    close();
    throw error;
  }
};

/** The environment variables that pipelines and destinations refer to. */
export const listReferences = ({ metadata }: MigrationSource): string[] => {
  const texts = metadata
    .prepare(
      'SELECT config || secrets AS text FROM pipeline UNION ALL SELECT options || secrets FROM destination',
    )
    .all()
    .map(({ text }) => String(text));
  return [...new Set(texts.flatMap(referencesIn))].toSorted();
};
