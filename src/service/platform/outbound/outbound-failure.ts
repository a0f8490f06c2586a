/** A call that came to nothing; its message says why, for people. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
}

/** An address that may not be called. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

const wordsByCode: Record<string, (host: string) => string> = {
  ENOTFOUND: (host) => `The host name ${host} was not found.`,
  EAI_AGAIN: (host) => `The host name ${host} could not be resolved. Try again later.`,
  ECONNREFUSED: (host) => `${host} refused the connection: nothing listens there.`,
  ECONNRESET: (host) => `${host} closed the connection before it answered.`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before it answered.`,
  EPIPE: (host) => `${host} closed the connection before it answered.`,
  ETIMEDOUT: (host) => `${host} did not take the connection in time.`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `${host} did not take the connection in time.`,
  EHOSTUNREACH: (host) => `${host} cannot be reached from here.`,
  ENETUNREACH: (host) => `${host} cannot be reached from here.`,
  EADDRNOTAVAIL: (host) => `${host} cannot be reached from here.`,
  UND_ERR_HEADERS_OVERFLOW: (host) => `${host} sent too many response headers.`,
  CERT_HAS_EXPIRED: (host) => `TLS: the certificate of ${host} has expired.`,
  CERT_NOT_YET_VALID: (host) => `TLS: the certificate of ${host} is not valid yet.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => `TLS: the certificate of ${host} is self-signed.`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) => `TLS: the certificate of ${host} is signed by an unknown authority.`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `TLS: the certificate of ${host} is signed by an unknown authority.`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) => `TLS: ${host} does not send the whole certificate chain.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `TLS: the certificate of ${host} is for another name.`,
};

/** The code of a network or system error; empty: it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Why a call failed, in words: what happened at which host; never a path or a query, which may hold secrets. */
export const failureOf = (error: unknown, { host }: { host: string }, timeoutMs: number): OutboundFailure => {
  const describe = (message: string) => new OutboundFailure(message, { cause: error });
  if (error instanceof ForbiddenAddress) return describe(error.message);
  if (error instanceof Error && error.name === 'TimeoutError')
    return describe(`${host} did not answer within ${timeoutMs / 1_000} s.`);
  const code = codeOf(error);
  const words = wordsByCode[code];
  if (words !== undefined) return describe(words(host));
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO_)/.test(code))
    return describe(`TLS: ${host} and this service could not agree on a connection (${code}).`);
  if (code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError'))
    return describe(`What answers at ${host} does not speak HTTP.`);
  return describe(`The call of ${host} failed${code === '' ? '' : ` (${code})`}.`);
};
