import * as z from 'zod';
import { endpoints } from '#contract/endpoints.ts';
import type { EndpointShape } from '#contract/endpoint.ts';
import { problems, problemSchema, type ProblemCode } from '#contract/problem.ts';

type Json = Record<string, unknown>;

const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  // Named schemas come back below $defs; an OpenAPI document keeps them inline, each operation whole.
  return rest;
};

const parametersOf = (place: 'path' | 'query', schema: z.ZodObject | undefined): Json[] => {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
};

const content = (types: readonly string[], schema: Json): Json =>
  Object.fromEntries(
    types.map((type) => [type, { schema: type.includes('json') ? schema : { type: 'string' } }]),
  );

/** The problems that an endpoint can answer with, by what it takes. */
const problemCodesOf = ({ scope, params, query, body, doc }: EndpointShape): ProblemCode[] => [
  ...new Set<ProblemCode>([
    ...(query === undefined ? [] : (['invalid-parameter'] as const)),
    ...(scope === 'none'
      ? []
      : (['token-missing', 'token-invalid', 'token-expired', 'token-revoked', 'quota-exceeded'] as const)),
    ...(scope === 'none' || scope === 'any' ? [] : (['insufficient-scope'] as const)),
    ...(params === undefined ? [] : (['not-found'] as const)),
    ...(body === undefined
      ? []
      : (['malformed-body', 'body-too-large', 'unsupported-media-type', 'validation-failed'] as const)),
    ...(doc.errors ?? []),
    'unknown-host',
    'internal-error',
  ]),
];

const problemAnswers = (endpoint: EndpointShape): Json => {
  const byStatus = Map.groupBy(problemCodesOf(endpoint), (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('; '),
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
};

const operationOf = (endpoint: EndpointShape): Json => {
  const { scope, params, query, body, bodyTypes, response, responseTypes, status, doc } = endpoint;
  const statuses = typeof status === 'number' ? [status] : status;
  const success = {
    description: doc.summary,
    ...(response === undefined && responseTypes === undefined
      ? {}
      : {
          content: content(
            responseTypes ?? ['application/json'],
            response === undefined ? { type: 'string' } : jsonSchema(response, 'output'),
          ),
        }),
  };
  return {
    operationId: `${endpoint.method.toLowerCase()}${endpoint.path.replace(/^\/v1/, '').replace(/[^A-Za-z0-9]+(\w?)/g, (_, next: string) => next.toUpperCase())}`,
    tags: [doc.tag],
    summary: doc.summary,
    ...(doc.description === undefined ? {} : { description: doc.description }),
    security: scope === 'none' ? [] : [{ bearer: [] }],
    'x-scope': scope,
    parameters: [...parametersOf('path', params), ...parametersOf('query', query)],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: content(
              bodyTypes ?? [
                'application/json',
                ...(endpoint.method === 'PATCH' ? ['application/merge-patch+json'] : []),
              ],
              jsonSchema(body, 'input'),
            ),
          },
        }),
    responses: {
      ...Object.fromEntries(statuses.map((code) => [String(code), success])),
      ...problemAnswers(endpoint),
    },
  };
};

/** The OpenAPI 3.1 document of the whole API, made from the schemas that check requests and answers. */
export const openapiDocument = (baseUrl: string, version: string): Json & { openapi: string } => {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(endpoint);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Penstock',
      version,
      description: 'Devices, ingestion pipelines, telemetry and API keys.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: { Problem: jsonSchema(problemSchema, 'output') },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a session token.' },
      },
    },
  };
};
