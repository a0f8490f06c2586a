/** SQLSTATE: a lost connection, a server that stops or starts, too many connections, a standby that only reads, a session that the server ended. */
const UNAVAILABLE_STATE = /^(08...|57P0[1235]|53300|25006|25P03)$/;
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
const LOST =
  /^Connection terminated|not queryable|timeout exceeded when trying to connect|^Query read timeout/;

/** The database server does not answer, or the connection to it was lost. The same call may succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  readonly reason: string;

  constructor(
    place: string,
    reason: string,
    { product = 'PostgreSQL', ...options }: ErrorOptions & { product?: string } = {},
  ) {
    super(`${product} at ${place} does not answer (${reason}).`, options);
    this.reason = reason;
  }
}

export const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

/** Whether an error is that of a connection that could not be opened, or broke. */
export const isSocketError = (error: Error): boolean => SOCKET_CODES.has(codeOf(error));

/** The error to throw for an error of `pg` of the server at `host`. */
export const explainUnavailable = (error: unknown, host: string): unknown => {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailable) return error;
  const code = codeOf(error);
  if (!UNAVAILABLE_STATE.test(code) && !isSocketError(error) && !LOST.test(error.message)) return error;
  // The error of a name with several addresses has no message.
  const reason = error.message === '' ? code : error.message;
  return new DatabaseUnavailable(host, reason, { cause: error });
};
