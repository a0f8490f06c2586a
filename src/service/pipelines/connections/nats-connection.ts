import { connect, errors, type NatsConnection } from '@nats-io/transport-node';
import { describeError } from '../../platform/describe-error.ts';
import { portOf } from '../../platform/outbound/address-rules.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { quoteAnswer } from './quote-answer.ts';
import { raceAbort } from './race-abort.ts';

const CONNECT_WITHIN_MS = 15_000;
const PING_EVERY_MS = 20_000;

/** Only one side uses TLS. */
export class TlsMismatch extends Error {
  override readonly name = 'TlsMismatch';
}

/** Recognises the errors of the NATS client when only one side uses TLS. */
const mismatchOf = (error: unknown): TlsMismatch | undefined => {
  if (!(error instanceof errors.ConnectionError)) return undefined;
  const isOffHere = error.cause instanceof TypeError && error.message.includes('certFile');
  if (isOffHere) return new TlsMismatch('the server requires TLS. Use tls://', { cause: error });
  const isOffThere = error.message === "server does not support 'tls'";
  return isOffThere
    ? new TlsMismatch('the server does not support TLS. Use nats://', { cause: error })
    : undefined;
};

export type NatsAccess = {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
};

/**
 * Connects without automatic reconnection. @throws OutboundFailure, TlsMismatch, errors of the client, or the reason of
 * `signal`
 */
export const connectToNats = async (
  { outbound, url, access }: { outbound: Outbound; url: URL; access: NatsAccess },
  signal: AbortSignal,
): Promise<NatsConnection> => {
  const port = portOf(url);
  const address = await outbound.resolve({ host: url.hostname, port }, signal);
  const { username, password, token } = access;
  // Connects to the checked address. The name only serves to verify the certificate.
  const tls = { handshakeFirst: false, servername: url.hostname };
  const connecting = connect({
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
  });
  try {
    return await raceAbort(connecting, signal);
  } catch (error) {
    // The client has no signal. Close a connection that opens after the abort.
    void connecting.then((connection) => connection.close()).catch(() => undefined);
    throw mismatchOf(error) ?? error;
  }
};

/** Describes an error, without secrets that the server may have repeated. */
export const describeNatsError = (error: unknown, { password, token }: NatsAccess): string =>
  quoteAnswer(describeError(error), [password, token]);

/** True if the server rejected the credentials. */
export const isNatsRejection = (error: unknown): boolean =>
  error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;
