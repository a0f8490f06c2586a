import { DatabaseError } from 'pg';
import { DeliveryFailure } from './destination.ts';
import { connectionFailureOf } from './delivery-failure-of.ts';
import type { PostgresTarget } from './postgres-connection.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';

type Kind = DeliveryFailure['kind'];

/** By SQLSTATE, or by its class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const meanings: Record<string, readonly [kind: Kind, words: string]> = {
  '08': ['unavailable', 'lost the connection'],
  '21': ['unacceptable', 'does not take these values'],
  '22': ['unacceptable', 'does not take these values'],
  '23': ['unacceptable', 'does not take these values'],
  '25006': ['unavailable', 'only reads just now; give the server that is written to'],
  '28': ['refused', 'refuses the user name or password'],
  '3D': ['refused', 'has no such database; make it, or name another'],
  '3F': ['refused', 'has no such schema; make it, or name another'],
  '40': ['unavailable', 'had other transactions in the way'],
  '42': ['refused', 'has a table of another shape there; name another table, or give it the columns and key'],
  '42501': ['refused', 'does not give this user the right; grant it'],
  '44': ['unacceptable', 'does not take these values'],
  '53': ['unavailable', 'is short of room or connections'],
  '54': ['unacceptable', 'finds these values too large'],
  '57': ['unavailable', 'ended it before it was done'],
  P0: ['unacceptable', 'has a trigger that does not take these values'],
};

/** What `pg` says without a SQLSTATE. */
const NO_TLS = /does not support SSL/;
const NO_PASSWORD = /SASL.*password must be/;

/** Why a delivery failed, in words and by what can be done about it; never with the password. */
export const postgresFailure = (error: unknown, target: PostgresTarget, signal: AbortSignal): unknown => {
  const { host } = target;
  if (error instanceof DeliveryFailure) return error;
  const failed = (kind: Kind, words: string, options: ErrorOptions = { cause: error }) =>
    new DeliveryFailure(kind, `${host} ${words}.`, options);
  if (error instanceof DatabaseError && !signal.aborted) {
    const code = error.code ?? '';
    const [kind, words] = meanings[code] ??
      meanings[code.slice(0, 2)] ?? ['unavailable', 'could not do it just now'];
    // Quoted, and no cause: the log shows all that the server said.
    return failed(kind, `${words}: ${quoteAnswer(error.message, [target.password])}`, {});
  }
  const message = error instanceof Error && !signal.aborted ? error.message : '';
  if (NO_TLS.test(message)) return failed('refused', 'does not take TLS; choose “disable” for TLS');
  if (NO_PASSWORD.test(message)) return failed('refused', 'wants a password, and there is none');
  if (message.startsWith('Connection terminated'))
    return failed('unavailable', 'closed the connection before it had answered');
  return connectionFailureOf(error, host, signal);
};
