import type { EndpointShape } from '#contract/endpoint.ts';
import { problemCodesOf } from '#contract/endpoint-problems.ts';
import { problems, type ProblemCode } from '#contract/problem.ts';
import type { Json } from './openapi-components.ts';
import { headersOf, type HeaderName } from './openapi-headers.ts';

/** The response headers of problem codes (RFC 9110 and RFC 6750). */
const HEADERS: Partial<Record<ProblemCode, HeaderName>> = {
  'token-missing': 'WWW-Authenticate',
  'token-invalid': 'WWW-Authenticate',
  'token-expired': 'WWW-Authenticate',
  'token-revoked': 'WWW-Authenticate',
  'insufficient-scope': 'WWW-Authenticate',
  'idempotency-in-progress': 'Retry-After',
  'quota-exceeded': 'Retry-After',
  overloaded: 'Retry-After',
  'precondition-failed': 'ETag',
};

const pascalCase = (code: string): string =>
  code.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** What clients of InfluxDB read of an error. */
const INFLUXDB_FIELDS: Json = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'Same as `detail`, for clients of InfluxDB 2.' },
    error: { type: 'string', description: 'Same as `detail`, for clients of InfluxDB 1.' },
  },
};

const example = (code: ProblemCode): Json => ({
  summary: problems[code].title,
  value: {
    type: `urn:penstock:problem:${code}`,
    title: problems[code].title,
    status: problems[code].status,
    detail: 'What is wrong and what to do.',
    code,
    requestId: 'req_9b2f5c1e-7d34-4a86-b0c9-5e1f2a7d8c63',
  },
});

/** Collects error responses, one per set of codes, for `components.responses` and `components.examples`. */
export const createProblems = () => {
  const responses: Record<string, Json> = {};
  const examples: Record<string, Json> = {};

  const response = (codes: readonly ProblemCode[], forInfluxdbClients: boolean): Json => {
    const headers = codes.map((code) => HEADERS[code]);
    const known = [...new Set(headers)].filter((name) => name !== undefined);
    for (const code of codes) examples[code] ??= example(code);
    return {
      description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('; '),
      headers: {
        ...headersOf(known, headers.length === headers.filter((name) => name !== undefined).length),
        ...headersOf(['X-Request-Id']),
      },
      content: {
        [forInfluxdbClients ? 'application/json' : 'application/problem+json']: {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              ...(forInfluxdbClients ? [INFLUXDB_FIELDS] : []),
              { type: 'object', properties: { code: { enum: codes, type: 'string' } } },
            ],
          },
          examples: Object.fromEntries(
            codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
          ),
        },
      },
    };
  };

  /** The names of the error responses of an endpoint, by status. */
  const answersOf = (endpoint: EndpointShape): Record<string, string> => {
    const byStatus = Map.groupBy(problemCodesOf(endpoint), (code) => problems[code].status);
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => {
        const forInfluxdbClients = endpoint.forInfluxdbClients === true;
        const name = `${codes.map(pascalCase).join('Or')}${forInfluxdbClients ? 'ForInfluxdb' : ''}`;
        responses[name] ??= response(codes, forInfluxdbClients);
        return [String(status), name];
      }),
    );
  };
  return { responses, examples, answersOf };
};
export type Problems = ReturnType<typeof createProblems>;
