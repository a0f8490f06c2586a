import type { DatabaseError } from 'pg';
import { DeliveryFailure } from './destination.ts';
import { connectionFailureOf } from './delivery-failure-of.ts';
import type { PostgresTarget } from './postgres-connection.ts';
import { quoteAnswer } from '../connections/quote-answer.ts';

type Kind = DeliveryFailure['kind'];

/** By SQLSTATE, or by its class: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const meanings: Record<string, readonly [kind: Kind, words: string, hint?: string]> = {
  '08': ['unavailable', 'lost the connection'],
  '21': ['unacceptable', 'rejects these samples'],
  '22': ['unacceptable', 'rejects these samples'],
  '23': ['unacceptable', 'rejects these samples'],
  '25006': ['unavailable', 'is read-only', 'Enter the address of the primary server.'],
  '28': ['refused', 'rejects the user name or password'],
  '3D': ['refused', 'has no database with this name', 'Create it, or enter another name.'],
  '3F': ['refused', 'has no schema with this name', 'Create it, or enter another name.'],
  '40': ['unavailable', 'aborted the transaction because of a conflict'],
  '42': [
    'refused',
    'has a table with this name, but with other columns or another key',
    'Enter another table name, or change the table.',
  ],
  '42501': ['refused', 'denies access to this user', 'Grant the user access to the table and its schema.'],
  '44': ['unacceptable', 'rejects these samples'],
  '53': ['unavailable', 'is out of space, memory or connections'],
  '54': ['unacceptable', 'rejects these samples as too large'],
  '57': ['unavailable', 'cancelled the query'],
  P0: ['unacceptable', 'has a trigger that rejects these samples'],
};

/** An error that the server reported. The class cannot be imported here: `pg` is loaded with the first connection. */
export const isServerError = (error: unknown): error is DatabaseError =>
  error instanceof Error && 'severity' in error;

/** Errors of `pg` without a SQLSTATE. */
const NO_TLS = /does not support SSL/;
const NO_PASSWORD = /SASL.*password must be/;

/** The DeliveryFailure for an error of PostgreSQL. Never contains the password. */
export const postgresFailure = (error: unknown, target: PostgresTarget, signal: AbortSignal): unknown => {
  const { host } = target;
  if (error instanceof DeliveryFailure) return error;
  const failed = (kind: Kind, words: string, options: ErrorOptions = { cause: error }) =>
    new DeliveryFailure(kind, `${host} ${words}`, options);
  if (isServerError(error) && !signal.aborted) {
    const code = error.code ?? '';
    const [kind, words, hint] = meanings[code] ?? meanings[code.slice(0, 2)] ?? ['unavailable', 'failed'];
    // Quoted and without a cause, because the log would show the unfiltered message of the server.
    const quote = quoteAnswer(error.message, [target.password]);
    return failed(kind, `${words}: ${quote}.${hint === undefined ? '' : ` ${hint}`}`, {});
  }
  const message = error instanceof Error && !signal.aborted ? error.message : '';
  if (NO_TLS.test(message)) return failed('refused', 'does not support TLS. Choose “disable” for TLS.');
  if (NO_PASSWORD.test(message)) return failed('refused', 'requires a password. Enter one.');
  if (message.startsWith('Connection terminated'))
    return failed('unavailable', 'closed the connection before answering.');
  return connectionFailureOf(error, host, signal);
};
