/** A ClickHouse database, and how to connect to it. */
export type ClickHouseAddress = {
  /** The host and port, for messages. */
  readonly place: string;
  /** The URL of the HTTP interface, without credentials. */
  readonly origin: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

const DEFAULT_PORT = { http: '8123', https: '8443' } as const;
const DEFAULT_NAME = 'default';

const parse = (text: string): ClickHouseAddress | undefined => {
  const { protocol, hostname, port, username, password, pathname, searchParams, hash } = new URL(text);
  if (protocol !== 'clickhouse:' && protocol !== 'clickhouses:') return undefined;
  if (hostname === '' || hash !== '' || pathname.slice(1).includes('/')) return undefined;
  if ([...searchParams.keys()].some((name) => name !== 'tls')) return undefined;
  const isSecure = protocol === 'clickhouses:';
  const tls = searchParams.get('tls') ?? String(isSecure);
  if (tls !== 'true' && (tls !== 'false' || isSecure)) return undefined;
  const scheme = tls === 'true' ? 'https' : 'http';
  const place = `${hostname}:${port === '' ? DEFAULT_PORT[scheme] : port}`;
  return {
    place,
    origin: `${scheme}://${place}`,
    user: decodeURIComponent(username) || DEFAULT_NAME,
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || DEFAULT_NAME,
  };
};

/** Reads `clickhouse://USER:PASSWORD@HOST:PORT/DATABASE?tls=…`; undefined if it is something else. */
export const readClickHouseAddress = (text: string): ClickHouseAddress | undefined => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

/** Whether a telemetry URL names a ClickHouse server. */
export const isClickHouseAddress = (address: object): address is ClickHouseAddress => 'origin' in address;
