import type { ForbiddenTarget } from './address-rules.ts';

/** A failed request or connection. The message says why. */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
}

/** A forbidden address. `allow`: the network that would have to be allowed; undefined: it is never allowed. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
  readonly allow: ForbiddenTarget['allow'];
  constructor({ reason, allow }: ForbiddenTarget) {
    super(reason);
    this.allow = allow;
  }
}

/** The network that would have to be allowed for an attempt that failed; undefined: it failed for another reason. */
export const allowedBy = (error: unknown): ForbiddenTarget['allow'] => {
  if (error instanceof ForbiddenAddress) return error.allow;
  return error instanceof Error ? allowedBy(error.cause) : undefined;
};

/** FILE: the certificate, or that of its authority. */
const TRUST_IT = 'To trust it, start Penstock with NODE_EXTRA_CA_CERTS=FILE.';

const wordsByCode: Record<string, (host: string) => string> = {
  ENOTFOUND: (host) => `The host name ${host} was not found.`,
  EAI_AGAIN: (host) => `The host name ${host} could not be resolved. Try again later.`,
  ECONNREFUSED: (host) => `${host} refused the connection.`,
  ECONNRESET: (host) => `${host} closed the connection before answering.`,
  UND_ERR_SOCKET: (host) => `${host} closed the connection before answering.`,
  EPIPE: (host) => `${host} closed the connection before answering.`,
  ETIMEDOUT: (host) => `Connecting to ${host} timed out.`,
  UND_ERR_CONNECT_TIMEOUT: (host) => `Connecting to ${host} timed out.`,
  EHOSTUNREACH: (host) => `${host} is not reachable from this network.`,
  ENETUNREACH: (host) => `${host} is not reachable from this network.`,
  EADDRNOTAVAIL: (host) => `${host} is not reachable from this network.`,
  UND_ERR_HEADERS_OVERFLOW: (host) => `${host} sent too many response headers.`,
  CERT_HAS_EXPIRED: (host) => `TLS: the certificate of ${host} has expired.`,
  CERT_NOT_YET_VALID: (host) => `TLS: the certificate of ${host} is not valid yet.`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (host) => `TLS: the certificate of ${host} is self-signed. ${TRUST_IT}`,
  SELF_SIGNED_CERT_IN_CHAIN: (host) =>
    `TLS: the certificate of ${host} is signed by an unknown authority. ${TRUST_IT}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (host) =>
    `TLS: the certificate of ${host} is signed by an unknown authority. ${TRUST_IT}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (host) => `TLS: ${host} does not send the whole certificate chain.`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `TLS: the certificate of ${host} is for another name.`,
};

/** The code of a network or system error; empty if there is none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Describes why a request failed. Names the host but never the path or query, which may contain secrets. */
export const failureOf = (error: unknown, { host }: { host: string }, timeoutMs: number): OutboundFailure => {
  const describe = (message: string) => new OutboundFailure(message, { cause: error });
  if (error instanceof ForbiddenAddress) return describe(error.message);
  if (error instanceof Error && error.name === 'TimeoutError')
    return describe(`${host} did not answer within ${timeoutMs / 1_000} s.`);
  const code = codeOf(error);
  const words = wordsByCode[code];
  if (words !== undefined) return describe(words(host));
  if (/^(ERR_SSL|ERR_TLS|EPROTO|CERT_|UNABLE_TO_)/.test(code))
    return describe(`TLS: the handshake with ${host} failed (${code}).`);
  if (code.startsWith('HPE_') || (error instanceof Error && error.name === 'HTTPParserError'))
    return describe(`The server at ${host} does not speak HTTP.`);
  return describe(`The request to ${host} failed${code === '' ? '' : ` (${code})`}.`);
};
