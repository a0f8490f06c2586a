import * as z from 'zod';
import { jsonSchemaSchema, type JsonSchema, type NamedSchemas } from './json-schema.ts';
import { queryOptions } from '@tanstack/react-query';
import { openapiApi } from '#contract/openapi.ts';
import { call } from '../../api/client.ts';
import { serviceQueries } from '../../resources/service/service-queries.ts';
import { queryClient } from '../../api/query-client.ts';
import { queryKeys } from '../../api/query-keys.ts';

export type Parameter = {
  name: string;
  in: string;
  isRequired: boolean;
  description: string | undefined;
  schema: JsonSchema;
};
/** A request or response body: its media types and its schema. */
export type Content = {
  types: readonly string[];
  schema: JsonSchema;
  /** The schema of each kind of event of a stream. */
  events: Readonly<Record<string, JsonSchema>>;
};
export type ApiResponse = { status: number; content: Content | null };
export type EndpointProblem = { status: number; code: string; title: string };

/** One endpoint as its document describes it. */
export type Operation = {
  id: string;
  tag: string;
  method: string;
  path: string;
  summary: string;
  description: string | undefined;
  /** The required scope; `any`: any valid token; `none`: no token. */
  scope: string;
  parameters: readonly Parameter[];
  body: Content | null;
  responses: readonly ApiResponse[];
  problems: readonly EndpointProblem[];
};

export type Reference = {
  operations: readonly Operation[];
  named: NamedSchemas;
  /** The errors of every endpoint below /v1 that needs a token. The others respond as InfluxDB does. */
  everywhere: readonly EndpointProblem[];
  /** What the endpoints of a tag are about. */
  about: ReadonlyMap<string, string>;
};

const contentSchema = z
  .record(
    z.string(),
    z.object({
      schema: jsonSchemaSchema.optional(),
      'x-events': z.record(z.string(), jsonSchemaSchema).optional(),
    }),
  )
  .optional();
const $ref = z.string().optional();
const parameterSchema = z.object({
  $ref,
  name: z.string().default(''),
  in: z.string().default(''),
  required: z.boolean().default(false),
  description: z.string().optional(),
  schema: jsonSchemaSchema.default({}),
  example: z.unknown().optional(),
});
const responseSchema = z.object({ $ref, description: z.string().default(''), content: contentSchema });
const operationSchema = z.object({
  operationId: z.string(),
  tags: z.array(z.string()).default([]),
  summary: z.string().default(''),
  description: z.string().optional(),
  'x-scope': z.string().default('any'),
  parameters: z.array(parameterSchema).default([]),
  requestBody: z.object({ content: contentSchema }).optional(),
  responses: z.record(z.string(), responseSchema),
});
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
const documentSchema = z.object({
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })).default([]),
  paths: z.record(z.string(), z.partialRecord(z.enum(METHODS), operationSchema)),
  components: z.object({
    schemas: z.record(z.string(), jsonSchemaSchema).default({}),
    parameters: z.record(z.string(), parameterSchema).default({}),
    responses: z.record(z.string(), responseSchema).default({}),
  }),
});
type Components = z.infer<typeof documentSchema>['components'];

/** Resolves a `$ref`. */
const follow = <T extends { $ref?: string | undefined }>(thing: T, named: Record<string, T>): T =>
  (thing.$ref === undefined ? undefined : named[thing.$ref.slice(thing.$ref.lastIndexOf('/') + 1)]) ?? thing;

const contentOf = (content: z.infer<typeof contentSchema>): Content | null => {
  if (content === undefined) return null;
  const bodies = Object.values(content);
  // The JSON schema describes the other media types as well.
  const main = bodies.find(({ schema }) => schema?.type !== 'string') ?? bodies[0];
  return {
    types: Object.keys(content),
    schema: main?.schema ?? {},
    events: Object.assign({}, ...bodies.map((body) => body['x-events'])) as Content['events'],
  };
};

/** `code`: title; `code`: title */
const PROBLEM = /`([a-z-]+)`: ([^;]+)/g;

const problemsIn = (status: number, description: string): EndpointProblem[] => {
  const found = [...description.matchAll(PROBLEM)].map(([, code = '', title = '']) => ({
    status,
    code,
    title: title.trim(),
  }));
  return found.length > 0 ? found : [{ status, code: '', title: description }];
};

type Raw = z.infer<typeof operationSchema>;

const parametersOf = (raw: Raw, components: Components): Parameter[] =>
  raw.parameters
    .map((parameter) => follow(parameter, components.parameters))
    .map(({ name, in: place, required, description, schema, example }) => ({
      name,
      in: place,
      isRequired: required,
      description,
      schema: example === undefined ? schema : { ...schema, examples: [example] },
    }));

const operationOf = (path: string, method: string, raw: Raw, components: Components): Operation => {
  const listed = Object.entries(raw.responses).map(([status, response]) => ({
    ...follow(response, components.responses),
    status: Number(status),
  }));
  const isResponse = ({ status, content }: (typeof listed)[number]) =>
    status < 400 || content?.['application/problem+json'] === undefined;
  return {
    id: raw.operationId,
    tag: raw.tags[0] ?? 'Other',
    method: method.toUpperCase(),
    path,
    summary: raw.summary,
    description: raw.description,
    scope: raw['x-scope'],
    parameters: parametersOf(raw, components),
    body: contentOf(raw.requestBody?.content),
    responses: listed
      .filter(isResponse)
      .map(({ status, content }) => ({ status, content: contentOf(content) })),
    problems: listed
      .filter((response) => !isResponse(response))
      .flatMap(({ status, description }) => problemsIn(status, description)),
  };
};

const isSame = (a: EndpointProblem, b: EndpointProblem) => a.status === b.status && a.code === b.code;

/** Parses the service's OpenAPI document. */
export const readReference = (document: unknown): Reference => {
  const { tags, paths, components } = documentSchema.parse(document);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const raw = methods[method];
      return raw === undefined ? [] : [operationOf(path, method, raw, components)];
    }),
  );
  const scoped = operations.filter(
    ({ path, scope }) => path.startsWith('/v1/') && scope !== 'none' && scope !== 'any',
  );
  const everywhere = (scoped[0]?.problems ?? []).filter((problem) =>
    scoped.every(({ problems }) => problems.some((other) => isSame(problem, other))),
  );
  return {
    operations,
    named: components.schemas,
    everywhere,
    about: new Map(tags.map(({ name, description = '' }) => [name, description])),
  };
};

/** The errors of an endpoint besides those of every endpoint. */
export const ownProblems = (
  { problems }: Operation,
  everywhere: readonly EndpointProblem[],
): EndpointProblem[] => problems.filter((problem) => !everywhere.some((other) => isSame(problem, other)));

/** Endpoints by what they are about, in the order of the document. */
export const groupByTag = (operations: readonly Operation[]): { tag: string; operations: Operation[] }[] =>
  [...Map.groupBy(operations, ({ tag }) => tag)].map(([tag, group]) => ({ tag, operations: group }));

/** The id of the part of the page that shows the endpoints of a tag. */
export const tagId = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;

export const referenceQueries = {
  /** The service's OpenAPI document. It changes only with the service's version. */
  document: () =>
    queryOptions({
      queryKey: queryKeys.openApi,
      queryFn: ({ signal }) => call(openapiApi.openapi, { signal }),
      staleTime: Infinity,
    }),
};

export const apiReferenceLoader = () => {
  void queryClient.prefetchQuery(referenceQueries.document());
  void queryClient.prefetchQuery(serviceQueries.connection());
  return null;
};
