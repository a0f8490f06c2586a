import type { EndpointShape } from '#contract/endpoint.ts';
import type { Json } from './openapi-components.ts';

const text = (description: string, example: string): Json => ({
  description,
  schema: { type: 'string' },
  example,
});

const headers = {
  ETag: text('The revision of the resource, for `If-Match`.', '"r3"'),
  Location: text('The path of the new resource.', '/v1/devices/dev_01jz3k5v8cf6n9qw2r4t7y0abd'),
  'Content-Disposition': text('The suggested file name.', 'attachment; filename="telemetry.csv"'),
  'Retry-After': {
    description: 'Seconds to wait before retrying the request.',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'WWW-Authenticate': text('The problem with the token (RFC 6750).', 'Bearer error="invalid_token"'),
  'X-Request-Id': text(
    'The request ID. Search the log of the service for it.',
    'req_9b2f5c1e-7d34-4a86-b0c9-5e1f2a7d8c63',
  ),
} satisfies Record<string, Json>;

export type HeaderName = keyof typeof headers;

/** Response headers for the document. */
export const headersOf = (names: readonly HeaderName[], isRequired = true): Json =>
  Object.fromEntries(names.map((name) => [name, { ...headers[name], required: isRequired }]));

/** The headers of a success response. */
export const successHeadersOf = ({ etag, download }: EndpointShape, status: number): Json =>
  headersOf([
    ...(etag === true ? (['ETag'] as const) : []),
    ...(etag === true && status === 201 ? (['Location'] as const) : []),
    ...(download === true ? (['Content-Disposition'] as const) : []),
    'X-Request-Id',
  ]);

/** Request headers besides the standard headers of HTTP. */
export const requestHeaders: Record<string, Json> = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the revision to change. Other revisions are rejected with 412.',
    schema: { type: 'string' },
    example: '"r3"',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes the request safe to retry: for 24 hours, the same key with the same body returns the first response.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '6f1f3c1e-6a55-4a0e-9d53-0f1f6c2f7d10',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The ID of the last received event. Later events are sent first.',
    schema: { type: 'string' },
    example: 'evt_01jz3k5v8cf6n9qw2r4t7y0abd',
  },
  ContentEncoding: {
    name: 'Content-Encoding',
    in: 'header',
    required: false,
    description: 'The compression of the body.',
    schema: { type: 'string', enum: ['gzip'] },
    example: 'gzip',
  },
  SnappyEncoding: {
    name: 'Content-Encoding',
    in: 'header',
    required: false,
    description: 'The compression of the body.',
    schema: { type: 'string', enum: ['snappy'] },
    example: 'snappy',
  },
};

export const requestHeadersOf = ({
  ifMatch,
  idempotent,
  resumes,
  body,
  bodyEncoding,
}: EndpointShape): Json[] =>
  [
    ...(ifMatch === true ? ['IfMatch'] : []),
    ...(idempotent === true ? ['IdempotencyKey'] : []),
    ...(resumes === true ? ['LastEventId'] : []),
    ...(body === undefined ? [] : [bodyEncoding === 'snappy' ? 'SnappyEncoding' : 'ContentEncoding']),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }));
