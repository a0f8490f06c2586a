import type * as z from 'zod';
import type { ProblemCode } from './problem.ts';
import type { Scope } from './scope.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `none`: answers without a token. `any`: any valid token. Otherwise the scope that the token must hold. */
export type EndpointScope = Scope | 'any' | 'none';

// What answers and bodies look like on the wire. `*/*`: any type.
export type MediaType =
  'application/json' | 'application/x-ndjson' | 'text/csv' | 'text/event-stream' | '*/*';

/** Fields that an endpoint does not have hold `undefined` in its type. */
export type EndpointShape = {
  readonly method: Method;
  /** Path below the origin, with `{name}` for each parameter: `/v1/devices/{id}`. */
  readonly path: `/v1/${string}`;
  readonly scope: EndpointScope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The media types that the body may come in; JSON where left out. JSON comes parsed, other types as text; `any type` as bytes. */
  readonly bodyTypes?: readonly MediaType[];
  /** True where the handler reads and checks the body itself; its schema then only documents it. */
  readonly readsBody?: boolean;
  /** The status of success; where there are several, the first is the usual one. */
  readonly status: number | readonly number[];
  /** What the answer holds; left out for 204 and for streams. */
  readonly response?: z.ZodType;
  /** The media types that the answer may come in; JSON where left out. */
  readonly responseTypes?: readonly MediaType[];
  /** True where a POST creates a resource and so takes an `Idempotency-Key`. */
  readonly idempotent?: boolean;
  readonly doc: {
    readonly tag: string;
    readonly summary: string;
    readonly description?: string;
    /** Codes that this endpoint can answer besides those that every endpoint can. */
    readonly errors?: readonly ProblemCode[];
  };
};

/** Declares an endpoint: data that the service registers, the dashboard calls and the document lists. */
export const endpoint = <const E extends EndpointShape>(shape: E): E => shape;

type Infer<T, Side extends 'input' | 'output'> = T extends z.ZodType
  ? Side extends 'input'
    ? z.input<T>
    : z.output<T>
  : undefined;

/** What a caller gives. */
export type ParamsOf<E extends EndpointShape> = Infer<E['params'], 'input'>;
export type QueryOf<E extends EndpointShape> = Infer<E['query'], 'input'>;
export type BodyOf<E extends EndpointShape> = Infer<E['body'], 'input'>;
/** What a handler is given, parsed. */
export type ParsedParams<E extends EndpointShape> = Infer<E['params'], 'output'>;
export type ParsedQuery<E extends EndpointShape> = Infer<E['query'], 'output'>;
export type ParsedBody<E extends EndpointShape> = Infer<E['body'], 'output'>;
/** What a handler gives back, and what a caller gets. */
export type AnswerOf<E extends EndpointShape> = Infer<E['response'], 'input'>;
export type ResponseOf<E extends EndpointShape> = Infer<E['response'], 'output'>;

/** The path with its parameters filled in, each percent-encoded. */
export const fillPath = (path: string, params: Record<string, string> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined || value === '')
      throw new TypeError(`The path ${path} needs a value for {${name}}.`);
    return encodeURIComponent(value);
  });
