import type { EndpointShape, MediaType } from './endpoint.ts';
import type { ProblemCode } from './problem.ts';

/** Codes that every endpoint can return, because the connection or the request causes them. */
const ALWAYS = [
  'invalid-parameter',
  'request-timeout',
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

const codesIf = (condition: boolean, ...codes: ProblemCode[]): ProblemCode[] => (condition ? codes : []);

/** A body of such a type is not validated as a whole: its messages or samples are rejected one by one. */
const isReadInParts = (type: MediaType): boolean => type === '*/*' || type === 'application/x-protobuf';

/** True if the endpoint changes stored data, which a full disk prevents. */
const writes = ({ method, safe }: EndpointShape): boolean => method !== 'GET' && safe !== true;

/** Every problem code that an endpoint can return: those that follow from its shape, and those in its `doc.errors`. */
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
    anyHost,
    doc,
  } = endpoint;
  return [
    ...new Set([
      ...ALWAYS,
      ...codesIf(anyHost !== true, 'unknown-host'),
      ...codesIf(scope !== 'none', ...AUTHENTICATION),
      ...codesIf(scope !== 'none' && scope !== 'any', 'insufficient-scope'),
      ...codesIf(params !== undefined, 'not-found'),
      ...codesIf(response !== undefined || responseTypes !== undefined, 'not-acceptable'),
      ...codesIf(body !== undefined, 'malformed-body', 'body-too-large', 'unsupported-media-type'),
      ...codesIf(body !== undefined && !bodyTypes.some(isReadInParts), 'validation-failed'),
      ...codesIf(idempotent === true, 'idempotency-in-progress', 'idempotency-key-reused'),
      ...codesIf(ifMatch === true, 'precondition-failed'),
      ...codesIf(writes(endpoint), 'storage-full', 'storage-read-only'),
      ...codesIf(usesTelemetry === true, 'telemetry-unavailable'),
      ...(doc.errors ?? []),
    ]),
  ];
};
