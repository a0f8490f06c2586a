import type { EndpointShape } from './endpoint.ts';
import type { ProblemCode } from './problem.ts';

/** Codes that come of the connection and the request itself, whatever is asked for. */
const ALWAYS = [
  'invalid-parameter',
  'request-timeout',
  'unknown-host',
  'headers-too-large',
  'internal-error',
  // While the service stops.
  'overloaded',
] as const satisfies readonly ProblemCode[];

const AUTHENTICATION = [
  'token-missing',
  'token-invalid',
  'token-expired',
  'token-revoked',
  'quota-exceeded',
] as const satisfies readonly ProblemCode[];

const codes = (isSo: boolean, ...these: ProblemCode[]): ProblemCode[] => (isSo ? these : []);

/** True where an endpoint changes what is stored: a full disk refuses it. */
const writes = ({ method, safe }: EndpointShape): boolean => method !== 'GET' && safe !== true;

/** Every code that an endpoint can answer with: by what it takes, and by what it says of itself. */
export const problemCodesOf = (endpoint: EndpointShape): ProblemCode[] => {
  const {
    scope,
    params,
    body,
    bodyTypes = [],
    idempotent,
    ifMatch,
    response,
    responseTypes,
    usesTelemetry,
    doc,
  } = endpoint;
  return [
    ...new Set([
      ...ALWAYS,
      ...codes(scope !== 'none', ...AUTHENTICATION),
      ...codes(scope !== 'none' && scope !== 'any', 'insufficient-scope'),
      ...codes(params !== undefined, 'not-found'),
      ...codes(response !== undefined || responseTypes !== undefined, 'not-acceptable'),
      ...codes(body !== undefined, 'malformed-body', 'body-too-large', 'unsupported-media-type'),
      // What is taken in any form is judged by the messages in it, not refused as a whole.
      ...codes(body !== undefined && !bodyTypes.includes('*/*'), 'validation-failed'),
      ...codes(idempotent === true, 'idempotency-in-progress', 'idempotency-key-reused'),
      ...codes(ifMatch === true, 'precondition-failed'),
      ...codes(writes(endpoint), 'storage-full', 'storage-read-only'),
      ...codes(usesTelemetry === true, 'telemetry-unavailable'),
      ...(doc.errors ?? []),
    ]),
  ];
};
