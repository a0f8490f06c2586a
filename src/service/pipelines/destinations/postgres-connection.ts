import { isIP, Socket } from 'node:net';
import { Client } from 'pg';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { plainHost } from '../../platform/outbound/address-rules.ts';
import type { KeptConnection } from './connection-pool.ts';
import { raceAbort } from '../connections/race-abort.ts';

export type SslMode = 'disable' | 'require' | 'verify-full';

export type PostgresTarget = {
  readonly hostname: string;
  readonly port: number;
  /** For messages. */
  readonly host: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly sslmode: SslMode;
};

export type PostgresConnection = KeptConnection & { readonly client: Client };

const CLOSE_WITHIN_MS = 1_000;
const CLOSED = 'Connection terminated';

const tlsOf = ({ hostname, sslmode }: PostgresTarget) => {
  if (sslmode === 'disable') return false;
  const host = plainHost(hostname);
  // The connection uses the checked address; the certificate is for the name.
  return { rejectUnauthorized: sslmode === 'verify-full', ...(isIP(host) === 0 ? { servername: host } : {}) };
};

/** Opens a connection and signs in. Ignores the PG… variables and password files of the service. */
export const openPostgresConnection = async (
  target: PostgresTarget,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<PostgresConnection> => {
  const address = await raceAbort(
    outbound.resolve({ host: target.hostname, port: target.port }, signal),
    signal,
  );
  const socket = new Socket();
  const client = new Client({
    host: address,
    port: target.port,
    user: target.user,
    database: target.database,
    // A function, because with an empty password the library would look for one elsewhere.
    password: () => target.password ?? '',
    ssl: tlsOf(target),
    stream: () => socket,
    keepAlive: true,
    application_name: 'penstock',
  });
  const lost = new AbortController();
  client.on('error', (error) => lost.abort(error)).on('end', () => lost.abort(new Error(CLOSED)));
  const drop = (): void => {
    lost.abort(new Error(CLOSED));
    // Ends what the server still does for this connection.
    socket.destroy();
  };
  try {
    await raceAbort(client.connect(), signal);
  } catch (error) {
    drop();
    throw error;
  }
  return {
    client,
    lost: lost.signal,
    drop,
    end: async () => {
      await raceAbort(client.end(), AbortSignal.timeout(CLOSE_WITHIN_MS)).catch(() => undefined);
      drop();
    },
  };
};
