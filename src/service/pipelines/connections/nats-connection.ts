import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { portOf } from '../../platform/outbound/address-rules.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { quoteAnswer } from './quote-answer.ts';

const CONNECT_WITHIN_MS = 15_000;
const PING_EVERY_MS = 20_000;

/** One side speaks TLS, the other does not. */
export class TlsMismatch extends Error {
  override readonly name = 'TlsMismatch';
}

/** The client stumbles over a server that asks for TLS where its own is off. */
const mismatchOf = (error: unknown): TlsMismatch | undefined => {
  if (!(error instanceof errors.ConnectionError)) return undefined;
  const isOffHere = error.cause instanceof TypeError && error.message.includes('certFile');
  if (isOffHere) return new TlsMismatch('it speaks TLS only, use tls://', { cause: error });
  const isOffThere = error.message === "server does not support 'tls'";
  return isOffThere ? new TlsMismatch('it does not speak TLS, use nats://', { cause: error }) : undefined;
};

export type NatsAccess = {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
};

/** A connection that does not come back by itself. @throws OutboundFailure, TlsMismatch, or what the client throws */
export const connectToNats = async (
  { outbound, url, access }: { outbound: Outbound; url: URL; access: NatsAccess },
  signal: AbortSignal,
): Promise<NatsConnection> => {
  const port = portOf(url);
  const address = await outbound.resolve({ host: url.hostname, port }, signal);
  const { username, password, token } = access;
  // The address was checked, so that the name is left for the certificate alone.
  const tls = { handshakeFirst: false, servername: url.hostname };
  return connect({
    servers: `${address.includes(':') ? `[${address}]` : address}:${port}`,
    name: 'penstock',
    ...(username === undefined ? {} : { user: username }),
    ...(password === undefined ? {} : { pass: password }),
    ...(token === undefined ? {} : { token }),
    tls: url.protocol === 'tls:' ? tls : null,
    resolve: false,
    reconnect: false,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
    timeout: CONNECT_WITHIN_MS,
    pingInterval: PING_EVERY_MS,
  }).catch((error: unknown) => {
    throw mismatchOf(error) ?? error;
  });
};

/** What a server or the client said, for people: servers may repeat what they were told. */
export const describeNatsError = (error: unknown, { password, token }: NatsAccess): string =>
  quoteAnswer(error instanceof Error ? error.message : String(error), [password, token]);

/** True where a server does not know who asks. */
export const isNatsRejection = (error: unknown): boolean =>
  error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;
