import type { Client } from 'pg';
import type { DestinationOptions } from '#contract/destination-types.ts';
import { destinationKind, DeliveryFailure } from './destination.ts';
import { decodedPart } from '../../platform/secrets/url-password.ts';
import { createConnectionPool } from './connection-pool.ts';
import { destinationAddress } from './destination-address.ts';
import type { PostgresTarget, SslMode } from './postgres-connection.ts';
import { postgresFailure } from './postgres-failure.ts';
import { isWithoutTable, postgresTable } from './postgres-table.ts';

const MOST_CONNECTIONS = 4;

const modes: readonly SslMode[] = ['disable', 'require', 'verify-full'];
/** The modes of libpq. For modes that only prefer TLS, the option decides. */
const modesInUrl: Record<string, SslMode> = {
  require: 'require',
  'no-verify': 'require',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
};

/** The stricter of the option and `?sslmode=` in the URL. */
const sslmodeOf = (url: URL, chosen: SslMode): SslMode => {
  const asked = modesInUrl[url.searchParams.get('sslmode') ?? ''] ?? 'disable';
  return modes.indexOf(asked) > modes.indexOf(chosen) ? asked : chosen;
};

const targetOf = (text: string | undefined, options: DestinationOptions<'postgres'>): PostgresTarget => {
  const { url, hostname, port, host, username: user = '', password } = destinationAddress(text, options);
  const database = url.pathname.slice(1);
  return {
    hostname,
    port,
    host,
    user,
    password,
    database: database === '' ? user : decodedPart(database),
    sslmode: sslmodeOf(url, options.sslmode),
  };
};

export const postgresDestination = destinationKind({
  type: 'postgres',
  label: 'PostgreSQL',
  description: 'Inserts a row for each sample.',
  /** NUL in text, which PostgreSQL cannot store, becomes ␀ (U+2400). */
  open: ({ url, options, outbound }) => {
    const target = targetOf(url, options);
    const table = postgresTable(options.table);
    const pool = createConnectionPool({ host: target.host, most: MOST_CONNECTIONS }, async (signal) => {
      if (target.user === '')
        throw new DeliveryFailure('refused', 'PostgreSQL requires a user name. Enter one.');
      const { openPostgresConnection } = await import('./postgres-connection.ts');
      return openPostgresConnection(target, outbound, signal);
    });

    /** @throws DeliveryFailure */
    const withClient = async <T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> => {
      try {
        return await pool.use(signal, ({ client }) => work(client));
      } catch (error) {
        throw postgresFailure(error, target, signal);
      }
    };

    return {
      deliver: ({ samples }, signal) =>
        withClient(signal, async (client) => {
          try {
            await table.write(client, samples);
          } catch (error) {
            if (!isWithoutTable(error)) throw error;
            await table.create(client);
            await table.write(client, samples);
          }
        }),
      probe: (signal) =>
        withClient(signal, async (client) => {
          const { rows } = await client.query<{ server_version: string }>('show server_version');
          const connected = `Connected to PostgreSQL ${rows[0]?.server_version.split(' ')[0]}`;
          try {
            await table.tryWrite(client);
            return `${connected}. The table ${options.table} accepts samples.`;
          } catch (error) {
            if (!isWithoutTable(error)) throw error;
            await table.tryCreate(client);
            return `${connected}. Penstock will create the table ${options.table}.`;
          }
        }),
      close: pool.close,
    };
  },
});
