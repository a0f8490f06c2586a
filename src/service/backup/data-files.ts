import {
  integrityProblems,
  openSqliteReadOnly,
  type DatabaseSync,
} from '../platform/storage/dialects/sqlite.ts';
import { newerVersion } from '../platform/storage/dialects/newer-version.ts';
import { migrations } from '../platform/storage/migrations/migrations.ts';
import { COUNT_SAMPLES } from '../telemetry/store/embedded/journal.ts';
import { telemetryMigrations } from '../telemetry/store/embedded/telemetry-schema.ts';
import { BackupError } from './backup-error.ts';

/** The files of a data directory that a backup contains. The samples are copied last, so that no counted one is missing. */
export const DATA_FILES = ['penstock.db', 'telemetry.db'] as const;
export type DataFile = (typeof DATA_FILES)[number];

/** What a backup contains, to compare a copy with its original. */
export type Counts = Record<'devices' | 'pipelines' | 'apiKeys' | 'events' | 'samples', number>;

const numberOf = (db: DatabaseSync, query: string): number =>
  Number(Object.values(db.prepare(query).get()!)[0]);

const countRows: Record<DataFile, (db: DatabaseSync) => Partial<Counts>> = {
  'penstock.db': (db) => ({
    devices: numberOf(db, 'SELECT count(*) FROM device WHERE deleted_at IS NULL'),
    pipelines: numberOf(db, 'SELECT count(*) FROM pipeline'),
    apiKeys: numberOf(db, 'SELECT count(*) FROM api_key'),
    events: numberOf(db, 'SELECT count(*) FROM event'),
  }),
  'telemetry.db': (db) => ({
    // The first version of the schema counts the samples of each series.
    samples: numberOf(
      db,
      numberOf(db, 'PRAGMA user_version') > 1
        ? COUNT_SAMPLES
        : 'SELECT coalesce(sum(samples), 0) FROM series',
    ),
  }),
};

/** Why this version of Penstock cannot read a database; undefined: it can. */
const newerSchema: Record<DataFile, (db: DatabaseSync) => string | undefined> = {
  'penstock.db': (db) =>
    db
      .prepare('SELECT name FROM kysely_migration')
      .all()
      .map(({ name }) => String(name))
      .find((name) => !(name in migrations)),
  'telemetry.db': (db) => {
    const version = numberOf(db, 'PRAGMA user_version');
    return version > telemetryMigrations.length ? String(version) : undefined;
  },
};

/** Checks the structure of a closed database and counts its rows. @throws BackupError */
export const checkDataFile = (file: DataFile, path: string): Partial<Counts> => {
  let db: DatabaseSync | undefined;
  try {
    db = openSqliteReadOnly(path);
    const [problem] = integrityProblems(db);
    if (problem !== undefined) throw new Error(problem);
    const schema = newerSchema[file](db);
    if (schema !== undefined) throw new BackupError(newerVersion(file, schema));
    return countRows[file](db);
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new BackupError(`${file} is damaged (${(error as Error).message}).`);
  } finally {
    db?.close();
  }
};
