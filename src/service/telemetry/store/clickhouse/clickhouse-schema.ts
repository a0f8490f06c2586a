import { UnusableDatabase } from '../../../platform/storage/database.ts';
import { DatabaseUnavailable } from '../../../platform/storage/dialects/database-unavailable.ts';
import { describeNewerVersion } from '../../../platform/storage/dialects/newer-version.ts';
import type { ClickHouseCluster } from './clickhouse-address.ts';
import type { ClickHouse, ClickHouseServers } from './clickhouse-client.ts';
import { findClusterServers, LOCAL_TABLES, type ClusterServer } from './clickhouse-cluster.ts';
import { quoteText } from './clickhouse-literals.ts';

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
const TABLES = {
  telemetry_series: {
    columns: 'id UInt64, device String, metric String, kind UInt8, unit Nullable(String), is_deleted UInt8',
    layout: 'order by (device, metric)',
    local: LOCAL_TABLES.series,
    shardBy: 'id',
  },
  telemetry_sample: {
    columns: 'series UInt64, ts Int64, value Float64, text String',
    layout: `partition by ${MONTH} order by (series, ts)`,
    local: LOCAL_TABLES.sample,
    shardBy: 'series',
  },
};

/** Settings of tables that wait for the disk before an insert is answered. Available since ClickHouse 21. */
const SYNC_SETTINGS = ['fsync_after_insert', 'fsync_part_directory'];

const readNames = async (clickhouse: ClickHouse, query: string): Promise<Set<string>> => {
  const rows = await clickhouse.select(query);
  const names = new Set<string>();
  while (rows.hasMore) names.add(rows.text());
  return names;
};

const SCHEMA_TABLE =
  'create table if not exists telemetry_schema (version UInt8) engine = MergeTree order by version';

/** Reads the version of the tables, 0 if there are none. Creates the table of the version. */
const readVersion = async (server: ClickHouse): Promise<number> => {
  await server.run(SCHEMA_TABLE);
  return (await server.select('select max(version) from telemetry_schema')).uint8();
};

/**
 * @throws UnusableDatabase if the tables have a newer version, or the URL has `cluster=` and they are of a single
 * server, or the reverse
 */
const requireTables = async (server: ClickHouse, version: number, isCluster: boolean): Promise<void> => {
  if (version > VERSION)
    throw new UnusableDatabase(
      describeNewerVersion('The database of telemetry', String(version), 'TELEMETRY_URL to another database'),
      { isFinal: true },
    );
  const engines = await readNames(
    server,
    `select engine from system.tables where database = currentDatabase() and name = 'telemetry_sample'`,
  );
  if (engines.size > 0 && engines.has('Distributed') !== isCluster)
    throw new UnusableDatabase(
      isCluster
        ? `The database of TELEMETRY_URL at ${server.place} has tables of a single server. Remove cluster=, or use another database.`
        : `The database of TELEMETRY_URL at ${server.place} has tables of a cluster. Set cluster= to its name, or use another database.`,
      { isFinal: true },
    );
};

/**
 * Makes the server wait for the disk before it answers an insert. Returns whether it can: ClickHouse before version 21
 * cannot.
 */
const syncInserts = async (server: ClickHouse, tables: readonly string[]): Promise<boolean> => {
  const known = await readNames(server, 'select name from system.merge_tree_settings');
  if (!SYNC_SETTINGS.every((name) => known.has(name))) return false;
  const settings = SYNC_SETTINGS.map((name) => `${name} = 1`).join(', ');
  for (const table of tables) await server.run(`alter table ${table} modify setting ${settings}`);
  return true;
};

/** Creates the tables of one server. Returns whether it waits for the disk. */
const createOnServer = async (server: ClickHouse): Promise<boolean> => {
  const version = await readVersion(server);
  await requireTables(server, version, false);
  for (const [name, { columns, layout }] of Object.entries(TABLES))
    await server.run(`create table if not exists ${name} (${columns}) engine = ReplacingMergeTree ${layout}`);
  if (version < VERSION) await server.insert('telemetry_schema (version)', Buffer.of(VERSION));
  return syncInserts(server, Object.keys(TABLES));
};

/** The engine of a table of a shard. Replicas find each other by a path in Keeper. */
const engineOf = (
  table: string,
  { name, database }: ClickHouseCluster,
  { server, shard, isReplicated }: ClusterServer,
): string => {
  if (!isReplicated) return 'ReplacingMergeTree';
  const path = `/clickhouse/tables/${name}/${database}/${shard}/${table}`;
  return `ReplicatedReplacingMergeTree(${quoteText(path)}, ${quoteText(server.place)})`;
};

/**
 * Creates the tables of each server of a cluster that answers: one with the rows of its shard, and one that distributes
 * statements to the shards. Does not use ON CLUSTER, which needs Keeper even without replicas.
 */
const createOnCluster = async (
  clickhouse: ClickHouseServers,
  cluster: ClickHouseCluster,
): Promise<boolean> => {
  const members = await findClusterServers(clickhouse, cluster.name);
  let isSynced = true;
  for (const member of members) {
    const { server } = member;
    const version = await readVersion(server);
    await requireTables(server, version, true);
    if (version === 0 && members.length < clickhouse.list().length)
      throw new DatabaseUnavailable(
        clickhouse.place,
        'Penstock creates the tables only while all servers answer',
        {
          product: 'ClickHouse',
        },
      );
    for (const [name, { columns, layout, local, shardBy }] of Object.entries(TABLES)) {
      await server.run(
        `create table if not exists ${local} (${columns}) engine = ${engineOf(local, cluster, member)} ${layout}`,
      );
      await server.run(
        `create table if not exists ${name} (${columns})
         engine = Distributed(${quoteText(cluster.name)}, ${quoteText(cluster.database)}, ${quoteText(local)}, ${shardBy})`,
      );
    }
    if (version < VERSION) await server.insert('telemetry_schema (version)', Buffer.of(VERSION));
    isSynced = (await syncInserts(server, Object.values(LOCAL_TABLES))) && isSynced;
  }
  return isSynced;
};

/**
 * Creates the tables of telemetry. Returns whether an insert waits for the disk of the server.
 * @throws UnusableDatabase if there are tables of a newer version, or of another kind
 */
export const createTelemetryTables = (
  clickhouse: ClickHouseServers,
  cluster: ClickHouseCluster | undefined,
): Promise<boolean> =>
  cluster === undefined ? createOnServer(clickhouse) : createOnCluster(clickhouse, cluster);

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
  // An insert into a cluster is answered when each shard has its samples. The second name is that of newer versions.
  insert_distributed_sync: '1',
  distributed_foreground_insert: '1',
  // A query fails if a shard does not answer, and never returns a part of the samples.
  skip_unavailable_shards: '0',
  // Reads and writes of a shard use the same replica until it fails, so that reads find what was written before.
  load_balancing: 'in_order',
};
/** The longest wait for replicas, shorter than that for an insert. */
const QUORUM_WITHIN_MS = 60_000;

/** The settings of connections, of those that the server knows. */
export const findSessionSettings = async (
  clickhouse: ClickHouse,
  insertQuorum = 1,
): Promise<Record<string, string>> => {
  const known = await readNames(clickhouse, 'select name from system.settings');
  const settings = {
    ...SESSION_SETTINGS,
    ...(insertQuorum > 1 && {
      insert_quorum: String(insertQuorum),
      insert_quorum_timeout: String(QUORUM_WITHIN_MS),
    }),
  };
  return Object.fromEntries(Object.entries(settings).filter(([name]) => known.has(name)));
};
