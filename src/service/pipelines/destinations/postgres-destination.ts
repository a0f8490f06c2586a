import type { Client } from 'pg';
import type { DestinationOptions } from '#contract/destination-types.ts';
import { destinationKind, DeliveryFailure } from './destination.ts';
import { decodedPart } from '../../platform/secrets/url-password.ts';
import { createConnectionPool } from './connection-pool.ts';
import { destinationAddress } from './destination-address.ts';
import { openPostgresConnection, type PostgresTarget, type SslMode } from './postgres-connection.ts';
import { postgresFailure } from './postgres-failure.ts';
import { isWithoutTable, postgresTable } from './postgres-table.ts';

const MOST_CONNECTIONS = 4;

const modes: readonly SslMode[] = ['disable', 'require', 'verify-full'];
/** As libpq names them; what it only prefers is left to the option. */
const modesInUrl: Record<string, SslMode> = {
  require: 'require',
  'no-verify': 'require',
  'verify-ca': 'verify-full',
  'verify-full': 'verify-full',
};

/** The stricter of the option and of `?sslmode=` in the address, which providers hand out. */
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
  description: 'Rows of a table, one for each value; a value that comes again is stored once.',
  /** NUL characters in texts, which PostgreSQL does not hold, are stored as ␀ (U+2400). */
  open: ({ url, options, outbound }) => {
    const target = targetOf(url, options);
    const table = postgresTable(options.table);
    const pool = createConnectionPool({ host: target.host, most: MOST_CONNECTIONS }, (signal) => {
      if (target.user === '')
        throw new DeliveryFailure('refused', `${target.host} needs a user name: give one to sign in with.`);
      return openPostgresConnection(target, outbound, signal);
    });

    /** @throws DeliveryFailure */
    const use = async <T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T> => {
      try {
        return await pool.use(signal, ({ client }) => work(client));
      } catch (error) {
        throw postgresFailure(error, target, signal);
      }
    };

    return {
      deliver: ({ samples }, signal) =>
        use(signal, async (client) => {
          try {
            await table.write(client, samples);
          } catch (error) {
            if (!isWithoutTable(error)) throw error;
            await table.create(client);
            await table.write(client, samples);
          }
        }),
      probe: (signal) =>
        use(signal, async (client) => {
          const { rows } = await client.query<{ server_version: string }>('show server_version');
          const answers = `PostgreSQL ${rows[0]?.server_version.split(' ')[0]} answers`;
          try {
            await table.tryWrite(client);
            return `${answers}; the table ${options.table} takes values.`;
          } catch (error) {
            if (!isWithoutTable(error)) throw error;
            await table.tryCreate(client);
            return `${answers}; the table ${options.table} will be made.`;
          }
        }),
      close: pool.close,
    };
  },
});
