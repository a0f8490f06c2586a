import { UnusableDatabase } from '../../../platform/storage/database.ts';
import { DatabaseUnavailable } from '../../../platform/storage/dialects/database-unavailable.ts';
import type { ClickHouse, ClickHouseServers } from './clickhouse-client.ts';
import { quoteText } from './clickhouse-literals.ts';

/** A server that has all rows of its shard. */
export type Shard = {
  readonly server: ClickHouse;
  /** Whether the shard has other replicas, whose inserts the server may not have yet. */
  readonly isReplicated: boolean;
};

/** The tables that hold rows, and the servers that together hold all of them. */
export type ClickHouseShards = {
  readonly tables: { readonly sample: string; readonly series: string };
  /** A server of each shard. @throws DatabaseUnavailable if no server of a shard answers */
  choose(): Promise<readonly Shard[]>;
};

/** One server without a cluster. */
export const soleShard = (server: ClickHouse): ClickHouseShards => ({
  tables: { sample: 'telemetry_sample', series: 'telemetry_series' },
  choose: async () => [{ server, isReplicated: false }],
});

/** The cluster as a server sees it. */
type ClusterView = {
  /** The number of replicas of each shard. */
  readonly replicas: ReadonlyMap<number, number>;
  /** The shard of the server. */
  readonly shard: number;
};

const readCluster = async (server: ClickHouse, name: string): Promise<ClusterView> => {
  // `is_local` is 1 for each replica of the own shard in ClickHouse 18.16, and only for the server itself in later
  // versions.
  const rows = await server.select(
    `select toUInt64(shard_num), is_local from system.clusters where cluster = ${quoteText(name)}`,
  );
  const replicas = new Map<number, number>();
  let found: number | undefined;
  while (rows.hasMore) {
    const [shard, isLocal] = [Number(rows.uint64()), rows.uint8()];
    replicas.set(shard, (replicas.get(shard) ?? 0) + 1);
    if (isLocal === 1) found = shard;
  }
  if (replicas.size === 0)
    throw new UnusableDatabase(
      `ClickHouse at ${server.place} has no cluster "${name}". Set cluster= in TELEMETRY_URL to one of its remote_servers.`,
      { isFinal: true },
    );
  if (found === undefined)
    throw new UnusableDatabase(
      `ClickHouse at ${server.place} cannot find itself in the cluster "${name}". Its remote_servers must name an address of each server, with its tcp_port.`,
      { isFinal: true },
    );
  return { replicas, shard: found };
};

/** A server of a cluster that answers. */
export type ClusterServer = Shard & { readonly shard: number };

/** Finds the servers that answer. @throws UnusableDatabase if the URL does not name every server of the cluster */
export const findClusterServers = async (
  clickhouse: ClickHouseServers,
  cluster: string,
): Promise<ClusterServer[]> => {
  const all = clickhouse.list();
  const outages: DatabaseUnavailable[] = [];
  const answers = await Promise.all(
    all.map(async (server) => {
      try {
        return { ...(await readCluster(server, cluster)), server };
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable)) throw error;
        outages.push(error);
        return undefined;
      }
    }),
  );
  const members = answers.filter((answer) => answer !== undefined);
  const replicas = members[0]?.replicas ?? new Map<number, number>();
  const servers = [...replicas.values()].reduce((sum, count) => sum + count, 0);
  if (members.length > 0 && servers !== all.length)
    throw new UnusableDatabase(
      `TELEMETRY_URL lists ${all.length} ${all.length === 1 ? 'server' : 'servers'}, but the cluster "${cluster}" has ${servers}. List each of them, with its HTTP port.`,
      { isFinal: true },
    );
  const missing = [...replicas.keys()].find((shard) => !members.some((member) => member.shard === shard));
  if (members.length === 0 || missing !== undefined)
    throw (
      outages[0] ??
      new UnusableDatabase(
        `TELEMETRY_URL lists no server of shard ${missing} of the cluster "${cluster}". List each server once.`,
        { isFinal: true },
      )
    );
  const isReplicated = [...replicas.values()].some((count) => count > 1);
  return members.map(({ server, shard }) => ({ server, shard, isReplicated }));
};

/** The tables of a server of a cluster, below the distributed tables of all rows. */
export const LOCAL_TABLES = { sample: 'telemetry_sample_local', series: 'telemetry_series_local' } as const;

/** The shards of a cluster. Finds the servers that answer each time. */
export const createShards = (clickhouse: ClickHouseServers, cluster: string): ClickHouseShards => ({
  tables: LOCAL_TABLES,
  choose: async () => {
    const chosen = new Map<number, Shard>();
    for (const found of await findClusterServers(clickhouse, cluster))
      if (!chosen.has(found.shard)) chosen.set(found.shard, found);
    return [...chosen.values()];
  },
});
