import { UnusableDatabase } from '../../../platform/storage/database.ts';
import { describeNewerVersion } from '../../../platform/storage/dialects/newer-version.ts';
import type { ClickHouse } from './clickhouse-client.ts';

/** The version of the tables. */
const VERSION = 1;

/** Times before and after share a partition each: a wrong clock must not create thousands. */
const [EARLIEST, LATEST] = [Date.UTC(2000, 0) - 1, Date.UTC(2100, 0)];
export const LAST_MONTH = 210_001;
const MONTH = `toYYYYMM(toDateTime(intDiv(least(greatest(ts, toInt64(${EARLIEST})), toInt64(${LATEST})), 1000), 'UTC'))`;

/**
 * A sample has a number, 0 or 1 for a boolean, or a text in JSON. Of rows with the same key, the one that was inserted
 * last counts: without a column for a version, no clock decides.
 */
const TABLES = [
  `create table if not exists telemetry_series (
     id UInt64, device String, metric String, kind UInt8, unit Nullable(String), is_deleted UInt8
   ) engine = ReplacingMergeTree order by (device, metric)`,
  `create table if not exists telemetry_sample (
     series UInt64, ts Int64, value Float64, text String
   ) engine = ReplacingMergeTree partition by ${MONTH} order by (series, ts)`,
];

/** Settings of tables that wait for the disk before an insert is answered. Available since ClickHouse 21. */
const SYNC_SETTINGS = ['fsync_after_insert', 'fsync_part_directory'];

const readNames = async (clickhouse: ClickHouse, query: string): Promise<Set<string>> => {
  const rows = await clickhouse.select(query);
  const names = new Set<string>();
  while (rows.hasMore) names.add(rows.text());
  return names;
};

/** Creates the tables of telemetry. @throws UnusableDatabase if they are of a newer version */
export const createTelemetryTables = async (clickhouse: ClickHouse): Promise<void> => {
  await clickhouse.run(
    'create table if not exists telemetry_schema (version UInt8) engine = MergeTree order by version',
  );
  const version = (await clickhouse.select('select max(version) from telemetry_schema')).uint8();
  if (version > VERSION)
    throw new UnusableDatabase(
      describeNewerVersion('The database of telemetry', String(version), 'TELEMETRY_URL to another database'),
      { isFinal: true },
    );
  for (const table of TABLES) await clickhouse.run(table);
  if (version < VERSION) await clickhouse.insert('telemetry_schema (version)', Buffer.of(VERSION));
};

/**
 * Makes the server wait for the disk before it answers an insert. Returns whether it can: ClickHouse before version 21
 * cannot.
 */
export const syncInserts = async (clickhouse: ClickHouse): Promise<boolean> => {
  const known = await readNames(clickhouse, 'select name from system.merge_tree_settings');
  if (!SYNC_SETTINGS.every((name) => known.has(name))) return false;
  for (const table of ['telemetry_series', 'telemetry_sample'])
    await clickhouse.run(
      `alter table ${table} modify setting ${SYNC_SETTINGS.map((name) => `${name} = 1`).join(', ')}`,
    );
  return true;
};

/**
 * Settings that make queries and inserts right, whatever the profile of the user says, of those that the server knows.
 */
const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // An insert is answered when its samples are stored.
  async_insert: '0',
  // Otherwise a replicated table drops an insert that repeats an earlier one, although later inserts replaced its
  // samples.
  insert_deduplicate: '0',
  // A batch may hold samples of any months.
  max_partitions_per_insert_block: '0',
  // Samples with the same key are in the same month.
  do_not_merge_across_partitions_select_final: '1',
};

export const findSessionSettings = async (clickhouse: ClickHouse): Promise<Record<string, string>> => {
  const known = await readNames(clickhouse, 'select name from system.settings');
  return Object.fromEntries(Object.entries(SESSION_SETTINGS).filter(([name]) => known.has(name)));
};
