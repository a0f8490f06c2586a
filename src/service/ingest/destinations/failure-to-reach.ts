import { failureOf, ForbiddenAddress, OutboundFailure } from '../../outbound/outbound-failure.ts';
import { DeliveryFailure } from '../destination.ts';

/** A certificate that does not hold stays so until somebody mends it. */
const CERTIFICATE =
  /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET|VERIFY)_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA)/;

const hasBadCertificate = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && CERTIFICATE.test(error.code);

/** Why a connection came to nothing, in words; an address or certificate that is turned away has to be mended. */
export const failureToReach = (error: unknown, host: string, signal: AbortSignal): DeliveryFailure => {
  if (signal.aborted)
    return new DeliveryFailure('unavailable', `${host} did not answer in time.`, { cause: error });
  const failure = error instanceof OutboundFailure ? error : failureOf(error, { host }, 0);
  const isMended = failure.cause instanceof ForbiddenAddress || hasBadCertificate(failure.cause);
  return new DeliveryFailure(isMended ? 'refused' : 'unavailable', failure.message, { cause: error });
};

/** What the other side said, in one short line, without the secrets that it may have repeated. */
export const quote = (said: string, secrets: readonly (string | undefined)[]): string => {
  const plain = secrets.reduce<string>(
    (text, secret) => (secret === undefined || secret === '' ? text : text.replaceAll(secret, '***')),
    said,
  );
  const line = plain
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .replace(/\.$/, '');
  return line.length > 300 ? `${line.slice(0, 300).toWellFormed()}…` : line;
};
