import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { fillPath, type EndpointShape } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { createApp } from '#service/app.ts';
import type { TestService } from './start-test-service.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Schema = Record<string, any>;
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = { status: number; headers: Record<string, unknown>; text: string; body: any };

const readLeast = (type: z.ZodType): Record<string, unknown> => {
  const root: Schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  const least = (schema: Schema): unknown => {
    if (schema.$ref !== undefined) return least(root.$defs[schema.$ref.split('/').at(-1)]);
    const [given] = [
      ...(schema.examples ?? []),
      ...(schema.enum ?? []),
      ...[schema.default ?? schema.const].flat(0),
    ];
    if (given !== undefined) return given;
    const [choice] = schema.anyOf ?? schema.oneOf ?? [];
    if (choice !== undefined) return least(choice);
    switch (schema.type) {
      case 'object':
        return Object.fromEntries(
          (schema.required ?? []).map((name: string) => [name, least(schema.properties[name])]),
        );
      case 'array':
        return Array.from({ length: schema.minItems ?? 0 }, () => least(schema.items));
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'string':
        return (
          { 'date-time': '2026-11-21T09:30:00.000Z', uri: 'https://example.org/' }[schema.format as string] ??
          'now'
        );
      default:
        return {};
    }
  };
  return least(root) as Record<string, unknown>;
};

const leastByType = new WeakMap<z.ZodType, Record<string, unknown>>();

/** The minimal input of a schema, for testing the permissions of a token. */
export const leastOf = (type: z.ZodType): Record<string, unknown> => {
  const least = leastByType.get(type) ?? readLeast(type);
  leastByType.set(type, least);
  return least;
};

type TextPlace = {
  path: readonly string[];
  /** The fields of a body, with a text in this place. */
  fieldsWith(text: string): Record<string, unknown>;
  /** The stored form of a text: names are trimmed. */
  kept(text: string): string;
};

/** Every place of a body where a text may stand, keys included, two levels deep. */
export const textPlacesOf = (type: z.ZodType): TextPlace[] => {
  const root: Schema = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  const find = (given: Schema, path: string[], wrap: (inner: unknown) => unknown): TextPlace[] => {
    const schema: Schema = given.$ref === undefined ? given : root.$defs[given.$ref.split('/').at(-1)];
    const within = (inner: Schema, key: string, put: (value: unknown) => unknown) =>
      find(inner, [...path, key], (value) => wrap(put(value)));
    const here = (put: (text: string) => unknown, key: string[] = []): TextPlace => ({
      path: [...path, ...key],
      fieldsWith: (text) => wrap(put(text)) as Record<string, unknown>,
      kept: (text) => (['description', 'notes'].includes(path.at(-1) ?? '') ? text : text.trim()),
    });
    if (path.length > 2) return [];
    return [
      ...(schema.anyOf ?? []).flatMap((choice: Schema) => find(choice, path, wrap)),
      ...Object.entries<Schema>(schema.properties ?? {}).flatMap(([key, inner]) =>
        within(inner, key, (value) => ({ [key]: value })),
      ),
      ...(schema.items === undefined ? [] : within(schema.items, '0', (value) => [value])),
      ...(typeof schema.additionalProperties === 'object'
        ? [
            ...within(schema.additionalProperties, 'key', (value) => ({ key: value })),
            here((text) => ({ [text]: 'x' }), ['(key)']),
          ]
        : []),
      ...(schema.type === 'string' || schema.type === undefined ? [here((text) => text)] : []),
    ];
  };
  return find(root, [], (value) => value).filter(({ path }) => path.length > 0);
};

/** The fields of an object schema with their minimal values: the required ones and `more`. */
const fieldsOf = (type: z.ZodObject | undefined, more: Record<string, unknown> = {}) =>
  type === undefined ? {} : { ...leastOf(type), ...more };

/** The prefix of IDs for `{id}`: `dev`, `pip`, … */
export const kindOfId = ({ params }: EndpointShape): string | undefined =>
  'id' in (params?.shape ?? {}) ? String(fieldsOf(params)['id']).split('_')[0] : undefined;

/** The name of the parameter by which an endpoint is asked for devices. */
export const takesDevice = ({ query }: EndpointShape): boolean => 'device' in (query?.shape ?? {});

export const nameOf = ({ method, path }: EndpointShape): string => `${method} ${path}`;

/** The media type of problems of an endpoint. */
export const problemTypeOf = ({ forInfluxdbClients = false }: EndpointShape): string =>
  forInfluxdbClients ? 'application/json' : 'application/problem+json';

export const guarded = endpoints.filter(({ scope }) => scope !== 'none');

export type Asking = {
  token?: string | null;
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  /** Of the body, besides the least. */
  fields?: Record<string, unknown>;
  /** Sent instead of the minimal body. */
  payload?: string;
  headers?: Record<string, string>;
  method?: 'HEAD';
};

let addresses = 0;
const nextAddress = (): string => {
  addresses += 1;
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
};

/**
 * Sends minimal requests to endpoints of a service, each from another address: invalid tokens are
 * limited for each.
 */
export const createAsker = async (test: TestService) => {
  const app: FastifyInstance = await createApp(test.service.parts, undefined);
  const { host } = new URL(test.url);
  const ask = async (
    endpoint: EndpointShape,
    { token = test.token, params = {}, query = {}, fields = {}, payload, headers = {}, method }: Asking = {},
  ): Promise<Answer> => {
    const path = fillPath(endpoint.path, {
      ...(fieldsOf(endpoint.params) as Record<string, string>),
      ...params,
    });
    const search = new URLSearchParams(
      Object.entries(fieldsOf(endpoint.query, query)).flatMap(([name, value]) =>
        [value].flat().map((each) => [name, String(each)]),
      ),
    );
    const hasBody = endpoint.body !== undefined;
    const response = await app.inject({
      method: method ?? endpoint.method,
      url: `${path}${search.size === 0 ? '' : `?${search}`}`,
      headers: {
        host,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(hasBody ? { payload: payload ?? JSON.stringify({ ...leastOf(endpoint.body), ...fields }) } : {}),
      remoteAddress: nextAddress(),
      payloadAsStream: true,
    });
    const isStream = String(response.headers['content-type']).includes('event-stream');
    let text = '';
    if (isStream) response.stream().destroy();
    else for await (const chunk of response.stream()) text += String(chunk);
    const isJson = String(response.headers['content-type']).includes('json') && text.startsWith('{');
    return {
      status: response.statusCode,
      headers: response.headers,
      text,
      body: isJson && !text.includes('}\n{') ? JSON.parse(text) : {},
    };
  };
  return { ask, close: () => app.close() };
};
