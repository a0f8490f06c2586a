import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { formatQuantity } from '../platform/storage/database-check.ts';
import {
  integrityProblems,
  schemaVersionOf,
  type DatabaseSync,
} from '../platform/storage/dialects/sqlite.ts';
import { describeNewerVersion } from '../platform/storage/dialects/newer-version.ts';
import { findNewerMigration, migrations } from '../platform/storage/migrations/migrations.ts';
import { findTelemetryUpgrade } from '../telemetry/store/embedded/convert-sample-table.ts';
import { COUNT_SAMPLES } from '../telemetry/store/embedded/journal.ts';
import { telemetryMigrations } from '../telemetry/store/embedded/telemetry-schema.ts';

/**
 * The files of a data directory that a backup contains. The snapshot of the samples is opened last, so that no sample is
 * missing that the ledger counts.
 */
export const DATA_FILES = ['penstock.db', 'telemetry.db'] as const;
export type DataFile = (typeof DATA_FILES)[number];

/** The databases of a service that are files, and not on a server. */
export const listDataFiles = ({
  database,
  telemetry,
}: {
  database: object | undefined;
  telemetry: object | undefined;
}): DataFile[] => {
  const isFile = { 'penstock.db': database === undefined, 'telemetry.db': telemetry === undefined };
  return DATA_FILES.filter((file) => isFile[file]);
};

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
      schemaVersionOf(db) > 1 ? COUNT_SAMPLES : 'SELECT coalesce(sum(samples), 0) FROM series',
    ),
  }),
};

const hasMigrations = (db: DatabaseSync): boolean =>
  db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(DEFAULT_MIGRATION_TABLE) !== undefined;

const migrationsOf = (db: DatabaseSync): string[] =>
  db
    .prepare(`SELECT name FROM ${DEFAULT_MIGRATION_TABLE} ORDER BY name`)
    .all()
    .map(({ name }) => String(name));

/** The version of a schema that this version of Penstock does not know; undefined: it knows the schema. */
export const findNewerSchema: Record<DataFile, (db: DatabaseSync) => string | undefined> = {
  'penstock.db': (db) => findNewerMigration(migrationsOf(db)),
  'telemetry.db': (db) => {
    const version = schemaVersionOf(db);
    return version > telemetryMigrations.length ? String(version) : undefined;
  },
};

/** A start creates the tables of a database in one transaction, and may be killed before. */
const hasTables: Record<DataFile, (db: DatabaseSync) => boolean> = {
  'penstock.db': (db) => hasMigrations(db) && migrationsOf(db).length > 0,
  'telemetry.db': (db) => schemaVersionOf(db) > 0,
};

/** Why this version cannot read a database; undefined: it can. */
export const findSchemaProblem = (file: DataFile, db: DatabaseSync): string | undefined => {
  if (!hasTables[file](db))
    return `${file} has no tables of Penstock. Start Penstock with this DATA_DIR once, which creates them.`;
  const newer = findNewerSchema[file](db);
  return newer === undefined ? undefined : describeNewerVersion(file, newer);
};

/**
 * Whether a start will migrate a database that holds data. `begun`: another start was killed while it converted the
 * database, so only this version of Penstock can use the file.
 */
export const findMigration: Record<DataFile, (db: DatabaseSync) => 'due' | 'begun' | undefined> = {
  'penstock.db': (db) => {
    const executed = hasMigrations(db) ? migrationsOf(db) : [];
    const isDue = executed.length > 0 && Object.keys(migrations).some((name) => !executed.includes(name));
    return isDue ? 'due' : undefined;
  },
  'telemetry.db': findTelemetryUpgrade,
};

/** Checks the structure of a database, which takes seconds per gigabyte, and counts its rows. */
export const inspect = (
  file: DataFile,
  db: DatabaseSync,
): { problem: string } | { counts: Partial<Counts> } => {
  const [problem] = integrityProblems(db);
  return problem === undefined ? { counts: countRows[file](db) } : { problem };
};

export const describeCounts = ({ devices, pipelines, apiKeys, events, samples }: Counts): string =>
  [
    formatQuantity(devices, 'device'),
    formatQuantity(pipelines, 'pipeline'),
    formatQuantity(apiKeys, 'API key'),
    formatQuantity(events, 'event'),
    formatQuantity(samples, 'sample'),
  ].join(', ');
