/** A server of ClickHouse. */
export type ClickHouseServerAddress = {
  /** The host and port, for messages. */
  readonly place: string;
  /** The URL of the HTTP interface, without credentials. */
  readonly origin: string;
};

/** A database on each server of a cluster. */
export type ClickHouseCluster = {
  /** The name in `remote_servers`. */
  readonly name: string;
  readonly database: string;
  /** The number of replicas that must store an insert before the server answers. */
  readonly insertQuorum: number;
};

/** A ClickHouse database, and how to connect to it. */
export type ClickHouseAddress = {
  /** The servers, for messages. */
  readonly place: string;
  /** One, or all of a cluster. */
  readonly servers: readonly ClickHouseServerAddress[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** Undefined: one server. */
  readonly cluster: ClickHouseCluster | undefined;
};

const DEFAULT_PORT = { http: '8123', https: '8443' } as const;
const DEFAULT_NAME = 'default';
const OPTIONS = new Set(['tls', 'cluster', 'insert_quorum']);

/** Scheme and credentials, hosts, and the rest. A list of hosts is not a valid URL. */
const PARTS = /^(clickhouses?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/;
/** Names that need no quotes in a statement, a path of Keeper or a URL. */
const CLUSTER = /^[A-Za-z0-9_.-]{1,64}$/;

const readServer = (host: string, scheme: 'http' | 'https'): ClickHouseServerAddress | undefined => {
  const { hostname, port, host: parsed } = new URL(`clickhouse://${host}`);
  if (hostname === '' || parsed.toLowerCase() !== host.toLowerCase()) return undefined;
  const place = `${hostname}:${port === '' ? DEFAULT_PORT[scheme] : port}`;
  return { place, origin: `${scheme}://${place}` };
};

const parse = (text: string): ClickHouseAddress | undefined => {
  const [, before, hosts, after] = PARTS.exec(text) ?? [];
  if (before === undefined || hosts === undefined || after === undefined) return undefined;
  const { protocol, username, password, pathname, searchParams, hash } = new URL(`${before}host${after}`);
  if (hash !== '' || pathname.slice(1).includes('/')) return undefined;
  if ([...searchParams.keys()].some((name) => !OPTIONS.has(name))) return undefined;
  const isSecure = protocol === 'clickhouses:';
  const tls = searchParams.get('tls') ?? String(isSecure);
  if (tls !== 'true' && (tls !== 'false' || isSecure)) return undefined;
  const cluster = searchParams.get('cluster') ?? undefined;
  if (cluster !== undefined && !CLUSTER.test(cluster)) return undefined;
  const quorum = searchParams.get('insert_quorum') ?? '1';
  if (!/^[1-9]\d?$/.test(quorum) || (cluster === undefined && quorum !== '1')) return undefined;
  const names = hosts.split(',');
  if (new Set(names).size < names.length || (cluster === undefined && names.length > 1)) return undefined;
  const servers = names.flatMap((host) => readServer(host, tls === 'true' ? 'https' : 'http') ?? []);
  if (servers.length < names.length) return undefined;
  const database = decodeURIComponent(pathname.slice(1)) || DEFAULT_NAME;
  return {
    place: servers.map(({ place }) => place).join(', '),
    servers,
    user: decodeURIComponent(username) || DEFAULT_NAME,
    password: decodeURIComponent(password),
    database,
    cluster: cluster === undefined ? undefined : { name: cluster, database, insertQuorum: Number(quorum) },
  };
};

/**
 * Reads `clickhouse://USER:PASSWORD@HOST:PORT/DATABASE?tls=…`, or
 * `…@HOST:PORT,HOST:PORT/DATABASE?cluster=NAME&insert_quorum=…`. Returns undefined for other text.
 */
export const readClickHouseAddress = (text: string): ClickHouseAddress | undefined => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

/** Whether a telemetry URL names ClickHouse servers. */
export const isClickHouseAddress = (address: object): address is ClickHouseAddress => 'servers' in address;
