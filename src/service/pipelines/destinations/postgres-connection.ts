import { isIP, Socket } from 'node:net';
import { Client } from 'pg';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { plainHost } from '../../platform/outbound/address-rules.ts';
import { raceAbort } from './race-abort.ts';

export type SslMode = 'disable' | 'require' | 'verify-full';

export type PostgresTarget = {
  readonly hostname: string;
  readonly port: number;
  /** For people. */
  readonly host: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly sslmode: SslMode;
};

export type PostgresConnection = {
  /** Whoever waits no longer ends the connection, and with it what the server still does for it. */
  run<T>(work: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T>;
  isOpen(): boolean;
  close(): Promise<void>;
};

const CLOSE_WITHIN_MS = 1_000;

const tlsOf = ({ hostname, sslmode }: PostgresTarget) => {
  if (sslmode === 'disable') return false;
  const host = plainHost(hostname);
  // The connection goes to an address that was checked; the certificate is for the name.
  return { rejectUnauthorized: sslmode === 'verify-full', ...(isIP(host) === 0 ? { servername: host } : {}) };
};

/** A connection that is signed in; who signs in, and where, comes from no PG… variable or password file of the service. */
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
    // A function, since for anything else that is empty the library looks elsewhere.
    password: () => target.password ?? '',
    ssl: tlsOf(target),
    stream: () => socket,
    keepAlive: true,
    application_name: 'penstock',
  });
  let isOpen = true;
  const lost = () => {
    isOpen = false;
  };
  client.on('error', lost).on('end', lost);

  const run: PostgresConnection['run'] = async (work, within) => {
    try {
      return await raceAbort(work(client), within);
    } catch (error) {
      if (within.aborted) {
        lost();
        socket.destroy();
      }
      throw error;
    }
  };

  try {
    await run(() => client.connect(), signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return {
    run,
    isOpen: () => isOpen,
    close: async () => {
      lost();
      await raceAbort(client.end(), AbortSignal.timeout(CLOSE_WITHIN_MS)).catch(() => undefined);
      socket.destroy();
    },
  };
};
