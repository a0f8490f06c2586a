import { readFileSync } from 'node:fs';

/** A PostgreSQL database, and how to connect to it. For undefined fields, the PG… variables apply, as in `psql`. */
export type PostgresAddress = {
  /** The host and port, or the folder of the socket, for messages. */
  readonly place: string;
  readonly host: string;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** Settings of the session, such as `-c search_path=penstock`. */
  readonly options: string | undefined;
  /** `host`: the name that the certificate must contain. The driver passes on names, but not addresses. */
  readonly tls: false | { rejectUnauthorized: boolean; host: string; ca?: string };
};

const PARAMETERS = new Set(['sslmode', 'sslrootcert', 'host', 'options']);

const decoded = (part: string): string | undefined => (part === '' ? undefined : decodeURIComponent(part));

/** As libpq: `require` encrypts without checking the certificate. @throws if sslrootcert cannot be read */
const tlsOf = (host: string, parameters: URLSearchParams): PostgresAddress['tls'] | undefined => {
  const mode = parameters.get('sslmode') ?? 'disable';
  const authority = parameters.get('sslrootcert');
  if (mode === 'disable') return authority === null ? false : undefined;
  if (mode !== 'require' && mode !== 'verify-full') return undefined;
  return {
    rejectUnauthorized: mode === 'verify-full',
    host,
    ...(authority !== null && { ca: readFileSync(authority, 'utf8') }),
  };
};

const parse = (text: string): PostgresAddress | undefined => {
  const { protocol, hostname, port, username, password, pathname, searchParams } = new URL(text);
  if (protocol !== 'postgres:' && protocol !== 'postgresql:') return undefined;
  if ([...searchParams.keys()].some((name) => !PARAMETERS.has(name))) return undefined;
  const folder = searchParams.get('host');
  const host = folder ?? hostname.replace(/^\[(.+)\]$/, '$1');
  const tls = tlsOf(host, searchParams);
  if (host === '' || tls === undefined) return undefined;
  if (folder !== null && (!folder.startsWith('/') || tls !== false)) return undefined;
  return {
    place: folder ?? `${hostname}:${port === '' ? '5432' : port}`,
    host,
    port: port === '' ? undefined : Number(port),
    user: decoded(username),
    password: decoded(password),
    database: decoded(pathname.slice(1)),
    options: searchParams.get('options') ?? undefined,
    tls,
  };
};

/** Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=…`; undefined if it is something else. */
export const readPostgresAddress = (text: string): PostgresAddress | undefined => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};
