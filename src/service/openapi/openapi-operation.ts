import type * as z from 'zod';
import {
  bodyLimitOf,
  bodyTypesOf,
  describeBodyLimit,
  statusesOf,
  type EndpointShape,
  type MediaType,
} from '#contract/endpoint.ts';
import { readScopes } from '#contract/scope.ts';
import type { Components, Json } from './openapi-components.ts';
import { exampleOf } from './openapi-examples.ts';
import { requestHeadersOf, successHeadersOf } from './openapi-headers.ts';
import type { Problems } from './openapi-problems.ts';

export type Parts = { components: Components; problems: Problems };

const parametersOf = (
  { jsonSchema, schemas }: Components,
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
    ...('examples' in property ? { example: exampleOf(property, schemas) } : {}),
  }));
};

const isJson = (type: MediaType): boolean => type.includes('json') && type !== 'application/x-ndjson';

/** The content of a body by media type: JSON with its schema, other types as text. */
const contentOf = (
  { components }: Parts,
  { doc, frames }: EndpointShape,
  types: readonly MediaType[],
  schema: Json,
): Json =>
  Object.fromEntries(
    types.map((type) => {
      if (isJson(type) || type === '*/*')
        return [type, { schema, example: exampleOf(schema, components.schemas) }];
      const events = Object.entries(frames ?? {}).map(([name, frame]) => [
        name,
        components.jsonSchema(frame, 'output'),
      ]);
      return [
        type,
        {
          schema: { type: 'string', contentMediaType: type },
          ...(doc.texts?.[type] === undefined ? {} : { example: doc.texts[type] }),
          // The data of each server-sent event by name. OpenAPI 3.1 has no keyword for this.
          ...(events.length === 0 ? {} : { 'x-events': Object.fromEntries(events) }),
        },
      ];
    }),
  );

const SUCCESS: Record<number, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Success. The response has no body.',
  503: 'Unavailable.',
};

const successOf = (parts: Parts, endpoint: EndpointShape, status: number): Json => {
  const { response, responseTypes } = endpoint;
  return {
    description: SUCCESS[status] ?? 'Done.',
    headers: successHeadersOf(endpoint, status),
    ...(response === undefined && responseTypes === undefined
      ? {}
      : {
          content: contentOf(
            parts,
            endpoint,
            responseTypes ?? ['application/json'],
            response === undefined ? {} : parts.components.jsonSchema(response, 'output'),
          ),
        }),
  };
};

/** A status that is both a response of the endpoint and the status of a problem. */
const eitherOf = (own: Json, refused: Json | undefined): Json =>
  refused === undefined
    ? own
    : {
        description: `${String(own['description'])} Or: ${String(refused['description'])}`,
        headers: {
          ...optional(refused['headers'] as Record<string, Json>),
          ...optional(own['headers'] as Record<string, Json>),
        },
        content: { ...(own['content'] as Json), ...(refused['content'] as Json) },
      };

const optional = (headers: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, { ...header, required: false }]));

/** The security requirements: alternatives with their scopes. Empty: no token required. */
const securityOf = ({ scope, alsoScope, forInfluxdbClients, takesBasic }: EndpointShape): Json[] => {
  if (scope === 'none') return [];
  if (forInfluxdbClients === true)
    return [{ bearer: [scope] }, { influxdbToken: [scope] }, { basic: [scope] }];
  if (takesBasic === true) return [{ bearer: [scope] }, { basic: [scope] }];
  if (scope === 'any') return [{ bearer: [] }];
  if (scope === 'any-read') return readScopes.map((each) => ({ bearer: [each] }));
  return [{ bearer: [scope, ...(alsoScope === undefined ? [] : [alsoScope])] }];
};

/** One operation of the document, derived from an endpoint. */
export const operationOf = (parts: Parts, operationId: string, endpoint: EndpointShape): Json => {
  const { components, problems } = parts;
  const { scope, params, query, body, doc } = endpoint;
  const refused = problems.answersOf(endpoint);
  return {
    operationId,
    tags: [doc.tag],
    summary: doc.summary,
    description: doc.description,
    security: securityOf(endpoint),
    'x-scope': scope,
    parameters: [
      ...parametersOf(components, 'path', params),
      ...parametersOf(components, 'query', query),
      ...requestHeadersOf(endpoint),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: `At most ${describeBodyLimit(bodyLimitOf(endpoint))}.`,
            required: true,
            content: contentOf(parts, endpoint, bodyTypesOf(endpoint), components.jsonSchema(body, 'input')),
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(refused).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
      ...Object.fromEntries(
        statusesOf(endpoint).map((status) => [
          String(status),
          eitherOf(successOf(parts, endpoint, status), problems.responses[refused[status] ?? '']),
        ]),
      ),
    },
  };
};
