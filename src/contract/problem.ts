import * as z from 'zod';
import { idSchema } from './id.ts';
import { pathOfPointer } from './json-pointer.ts';

/** Every problem code, with its status and title (RFC 9457). */
export const problems = {
  'malformed-body': { status: 400, title: 'Malformed body' },
  'invalid-parameter': { status: 400, title: 'Invalid parameter' },
  'partial-write': { status: 400, title: 'Samples were rejected' },
  'cursor-mismatch': { status: 400, title: 'Cursor of another list' },
  'token-missing': { status: 401, title: 'Authentication required' },
  'token-invalid': { status: 401, title: 'Invalid token' },
  'token-expired': { status: 401, title: 'Token expired' },
  'token-revoked': { status: 401, title: 'Token revoked' },
  'insufficient-scope': { status: 403, title: 'Insufficient scope' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'not-acceptable': { status: 406, title: 'Not acceptable' },
  'request-timeout': { status: 408, title: 'Request timed out' },
  conflict: { status: 409, title: 'Conflict' },
  'invalid-state': { status: 409, title: 'Not possible in this state' },
  'idempotency-in-progress': { status: 409, title: 'The first request is still running' },
  'precondition-failed': { status: 412, title: 'Changed by another request' },
  'body-too-large': { status: 413, title: 'Body too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  'unknown-host': { status: 421, title: 'Unknown host' },
  'validation-failed': { status: 422, title: 'Validation failed' },
  'idempotency-key-reused': { status: 422, title: 'Idempotency key used for another request' },
  'query-too-large': { status: 422, title: 'Query too large' },
  'destination-forbidden': { status: 422, title: 'Address not allowed' },
  'quota-exceeded': { status: 429, title: 'Too many attempts' },
  'headers-too-large': { status: 431, title: 'Headers too large' },
  'internal-error': { status: 500, title: 'Internal error' },
  'telemetry-unavailable': { status: 503, title: 'The telemetry file is missing or damaged' },
  overloaded: { status: 503, title: 'The service is busy' },
  'storage-full': { status: 507, title: 'The disk is full' },
  'storage-read-only': { status: 507, title: 'The disk is read-only' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** What would allow a forbidden address. */
export const allowSchema = z
  .object({
    network: z
      .string()
      .describe('The address.')
      .meta({ examples: ['10.0.0.5'] }),
    ports: z
      .array(z.int())
      .describe('Its port.')
      .meta({ examples: [[502]] }),
  })
  .describe(
    'If the address is forbidden and can be allowed: the body of `POST /v1/networks` that allows it.',
  );

/** One invalid field or parameter: a JSON pointer (RFC 6901) into the body, or the name of the parameter. */
export const fieldProblemSchema = z.object({
  pointer: z
    .string()
    .optional()
    .describe('A JSON pointer into the body (RFC 6901).')
    .meta({ examples: ['/name'] }),
  parameter: z
    .string()
    .optional()
    .describe('The name of the parameter or header.')
    .meta({ examples: ['limit'] }),
  code: z
    .string()
    .describe('The error code, for programs.')
    .meta({ examples: ['too-small'] }),
  detail: z
    .string()
    .describe('The human-readable error.')
    .meta({ examples: ['Must not be empty.'] }),
  deviceId: idSchema('dev').optional().describe('If the value is taken by a device: the ID of that device.'),
  allow: allowSchema.optional(),
});
export type FieldProblem = z.infer<typeof fieldProblemSchema>;

/** A problem of a pipeline in words, where its field is not shown: “host: Required (string).” */
export const describeProblem = ({
  pointer = '',
  detail,
}: Pick<FieldProblem, 'pointer' | 'detail'>): string => {
  const [part, ...field] = pathOfPointer(pointer);
  return part === 'config' && field.length > 0 ? `${field.join('.')}: ${detail}` : detail;
};

/** `application/problem+json` (RFC 9457); `detail` says what to do next. */
export const problemSchema = z
  .object({
    type: z.string().describe('The code as a URI.'),
    title: z.string().describe('The title of the problem.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('What is wrong and what to do.'),
    code: z.string().describe('The code of the problem, for programs. More codes may be added.'),
    requestId: z.string().describe('The request ID. Search the log of the service for it.'),
    errors: z.array(fieldProblemSchema).optional().describe('The invalid fields or parameters, if any.'),
  })
  .meta({ id: 'Problem', description: 'The body of every error response (RFC 9457).' });
export type Problem = z.infer<typeof problemSchema>;
