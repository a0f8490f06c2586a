/** SQLSTATE: a lost connection, a server that stops or starts, too many connections, a standby that only reads. */
const UNAVAILABLE_STATE = /^(08...|57P0[123]|53300|25006)$/;
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** Errors of `pg` without a code. */
const LOST = /^Connection terminated|not queryable|timeout exceeded when trying to connect/;

/** The database server does not answer, or the connection to it was lost. The same call may succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  readonly reason: string;

  constructor(host: string, reason: string, options?: ErrorOptions) {
    super(`PostgreSQL at ${host} does not answer (${reason}).`, options);
    this.reason = reason;
  }
}

/** The error to throw for an error of `pg` of the server at `host`. */
export const explainUnavailable = (error: unknown, host: string): unknown => {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (!UNAVAILABLE_STATE.test(code) && !SOCKET_CODES.has(code) && !LOST.test(error.message)) return error;
  // The error of a name with several addresses has no message.
  const reason = error.message === '' ? code : error.message;
  return new DatabaseUnavailable(host, reason, { cause: error });
};
