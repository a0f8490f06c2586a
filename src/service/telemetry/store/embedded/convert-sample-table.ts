import {
  databaseBytesOf,
  inTransaction,
  migrateSqlite,
  schemaVersionOf,
  type DatabaseSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import { isDiskReadOnly, isUnwritable } from '../../../platform/storage/disk-full.ts';
import { ChunkTable } from './chunk-table.ts';
import { mergeIntoChunks } from './merge-into-chunks.ts';
import { RollupBuilder } from './rollup-builder.ts';
import { RollupTable } from './rollup-table.ts';
import { STORE_SIZES } from './store-sizes.ts';
import { SeriesTable } from './series-table.ts';
import { telemetryMigrations } from './telemetry-schema.ts';

/** Samples that one transaction converts: a few tens of milliseconds, and a few MiB of the write-ahead log. */
const SAMPLES_PER_STEP = 50_000;

/** Free space that the conversion of a large file needs: as it goes on, chunks take the place of rows in the file. */
export const FREE_MIB = 64;
/** How the message of an error begins where the disk has no room for the conversion. */
export const NOT_CONVERTED = 'An earlier version of Penstock wrote the file, and it could not be converted';

const TOO_LITTLE_SPACE = 'the disk has too little space';

type Options = {
  readonly freeBytes: () => number;
  /** Called after each step with the samples that are converted so far. */
  readonly report: (samples: number) => void;
};

const hasSampleTable = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'sample'").get() !== undefined;

/**
 * Whether this version changes the format of telemetry.db. `begun`: a start was killed while samples moved, so the file
 * mixes both formats. Schemas change in one transaction, so there is nothing else between the formats.
 */
export const findTelemetryUpgrade = (db: DatabaseSync): 'due' | 'begun' | undefined => {
  const version = schemaVersionOf(db);
  if (version > 1 && hasSampleTable(db)) return 'begun';
  return version > 0 && version < telemetryMigrations.length ? 'due' : undefined;
};

/**
 * Moves the samples of version 1, which had a row each, into chunks. After a kill, the conversion resumes where it
 * stopped: a transaction writes chunks and deletes the rows. @throws Error (NOT_CONVERTED) where the disk has no room
 * or is read-only
 */
const convertSampleTable = (db: DatabaseSync, { freeBytes, report }: Options): void => {
  if (!hasSampleTable(db)) return;
  const series = new SeriesTable(db);
  const rollups = new RollupTable(db);
  const chunks = new ChunkTable(db, rollups, STORE_SIZES.samplesPerChunk);
  const builder = new RollupBuilder(chunks, rollups, STORE_SIZES);
  const next = db.prepare('SELECT series FROM sample ORDER BY series LIMIT 1');
  const read = db.prepare(
    `SELECT ts, value FROM sample WHERE series = ? ORDER BY ts LIMIT ${SAMPLES_PER_STEP}`,
  );
  const remove = db.prepare('DELETE FROM sample WHERE series = ? AND ts <= ?');
  const neededBytes = Math.min(FREE_MIB * 1_048_576, databaseBytesOf(db));
  let converted = 0;
  /** Returns the samples that it moved; 0 where none is left. */
  const convertSome = (): number => {
    const id = Number(next.get()?.['series'] ?? 0);
    if (id === 0) return 0;
    const isText = series.kindOf(id) === 'string';
    const samples = read.all(id);
    const ts = Float64Array.from(samples, (sample) => Number(sample['ts']));
    const cells = isText
      ? samples.map(({ value }) => String(value))
      : Float64Array.from(samples, ({ value }) => Number(value));
    const isLarge = mergeIntoChunks(chunks, { id, isText, chunksEnd: Infinity }, { ts, cells });
    if (isLarge && !isText) builder.advance(id);
    remove.run(id, ts.at(-1) ?? 0);
    return ts.length;
  };
  /** Converts samples in one transaction. Returns whether there may be more. */
  const convertStep = (): boolean => {
    if (next.get() !== undefined && freeBytes() < neededBytes) throw new Error(TOO_LITTLE_SPACE);
    const moved = inTransaction(db, () => {
      let [total, last] = [0, 0];
      do {
        last = convertSome();
        total += last;
      } while (last > 0 && total < SAMPLES_PER_STEP);
      return total;
    });
    converted += moved;
    if (moved > 0) report(converted);
    return moved > 0;
  };
  while (convertStep());
  db.exec('DROP TABLE sample');
};

/** Brings the schema and the samples of an open telemetry.db to this version. */
export const upgradeTelemetryFile = (db: DatabaseSync, options: Options): void => {
  const isOld = hasSampleTable(db);
  try {
    migrateSqlite(db, telemetryMigrations);
    convertSampleTable(db, options);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const hasNoRoom = isOld && (error.message === TOO_LITTLE_SPACE || isUnwritable(error));
    throw hasNoRoom || isDiskReadOnly(error) ? new Error(`${NOT_CONVERTED} (${error.message}).`) : error;
  }
};
