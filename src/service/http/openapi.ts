import * as z from 'zod';
import { endpoints } from '#contract/endpoints.ts';
import type { EndpointShape } from '#contract/endpoint.ts';
import { problems, problemSchema, type ProblemCode } from '#contract/problem.ts';

type Json = Record<string, unknown>;

/** Schemas with a name, each once: `components.schemas` of the document. */
const createComponents = () => {
  const schemas: Record<string, Json> = {};

  /** The name under which a schema stands. One that reads otherwise on its way in than on its way out has two. */
  const place = (name: string, schema: Json): string => {
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      return place(`${name}Input`, schema);
    schemas[name] = schema;
    return name;
  };

  /** A schema as the document shows it: what it names stands among the components. */
  const jsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json => {
    const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
    const { $schema: _, $defs = {}, ...rest } = made as Json & { $defs?: Record<string, Json> };
    const text = (value: Json) => JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
    for (const [name, { id: __, ...definition }] of Object.entries($defs))
      place(name, JSON.parse(text(definition)) as Json);
    return JSON.parse(text(rest)) as Json;
  };
  return { schemas, jsonSchema };
};
type Components = ReturnType<typeof createComponents>;

const parametersOf = (
  { jsonSchema }: Components,
  place: 'path' | 'query',
  schema: z.ZodObject | undefined,
): Json[] => {
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

const operationOf = (components: Components, endpoint: EndpointShape): Json => {
  const { jsonSchema } = components;
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
    parameters: [...parametersOf(components, 'path', params), ...parametersOf(components, 'query', query)],
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
  const components = createComponents();
  const problem = components.jsonSchema(problemSchema, 'output');
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(components, endpoint);
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
      schemas: { Problem: problem, ...components.schemas },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key or a session token.' },
      },
    },
  };
};
