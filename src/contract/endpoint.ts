import type * as z from 'zod';
import type { ProblemCode } from './problem.ts';
import type { Scope } from './scope.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `none`: answers without a token. `any`: any valid token. `any-read`: a token with at least one of `readScopes`.
 * Otherwise the scope that the token must hold.
 */
export type EndpointScope = Scope | 'any-read' | 'any' | 'none';

// What answers and bodies look like on the wire. `*/*`: any type.
export type MediaType =
  | 'application/json'
  | 'application/merge-patch+json'
  | 'application/x-ndjson'
  | 'text/csv'
  | 'text/event-stream'
  | '*/*';

/** The chapters of the document, each with what it is about. */
export const tags = {
  Service: 'Whether the service works, where it is reached, and this document.',
  Sessions: 'Signing in and out, and who a token stands for.',
  Overview: 'Counts, rates and storage at a glance.',
  Devices: 'What sends telemetry: registered, watched, changed one by one or many at once.',
  Telemetry: 'Samples: written, queried, exported and deleted.',
  Pipelines: 'How messages come in: a source, a mapping and a destination, with a ledger of every value.',
  Events: 'What happened and who did it.',
  Destinations: 'Where values of pipelines go.',
  Webhooks: 'Signed notifications of chosen events.',
  'API keys': 'The tokens that programs and devices use.',
  Stream: 'What changes, as it changes.',
} as const;

/** Fields that an endpoint does not have hold `undefined` in its type. */
export type EndpointShape = {
  readonly method: Method;
  /** Path below the origin, with `{name}` for each parameter: `/v1/devices/{id}`. */
  readonly path: `/v1/${string}`;
  readonly scope: EndpointScope;
  /** A scope that the token must hold besides. */
  readonly alsoScope?: Scope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The media types that the body may come in; JSON (and a merge patch, of a PATCH) where left out. JSON comes parsed, other types as text; `any type` as bytes. */
  readonly bodyTypes?: readonly MediaType[];
  /** The size limit of the body after decompression, in bytes. Defaults to `BODY_LIMIT`. */
  readonly bodyLimit?: number;
  /** True if the handler reads and validates the bytes of the body itself. The schema then only documents the body. */
  readonly readsBody?: boolean;
  /** True where it refuses a change that `If-Match` says was made against another revision. */
  readonly ifMatch?: boolean;
  /** True where it takes up where the `Last-Event-ID` of an earlier answer ended. */
  readonly resumes?: boolean;
  /** The status of success; where there are several, the first is the usual one. */
  readonly status: number | readonly number[];
  /** What the answer holds; left out for 204 and for streams. */
  readonly response?: z.ZodType;
  /** The media types that the answer may come in; JSON where left out. */
  readonly responseTypes?: readonly MediaType[];
  /** What each kind of server-sent event holds, by its name. */
  readonly frames?: Readonly<Record<string, z.ZodType>>;
  /** True where a POST creates a resource and so takes an `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** True where the answer carries the revision of its resource as `ETag`; a 201 then has a `Location` too. */
  readonly etag?: boolean;
  /** True where the answer names a file to save it in. */
  readonly download?: boolean;
  /** True if it may use the disk reserve when the disk is full: it signs in, revokes access or frees space. */
  readonly usesReserve?: boolean;
  /** True where the handler reads or writes the built-in store, and answers `telemetry-unavailable` without telemetry.db. */
  readonly usesTelemetry?: boolean;
  /** True where a request that is no GET changes nothing. */
  readonly safe?: boolean;
  readonly doc: {
    readonly tag: keyof typeof tags;
    readonly summary: string;
    readonly description: string;
    /** What a body or an answer that is not JSON looks like. */
    readonly texts?: Partial<Record<MediaType, string>>;
    /** Codes that this endpoint can answer besides those that follow from what it takes. */
    readonly errors?: readonly ProblemCode[];
  };
};

/** Declares an endpoint: data that the service registers, the dashboard calls and the document lists. */
export const endpoint = <const E extends EndpointShape>(shape: E): E => shape;

/** The media types that the body of an endpoint may come in. */
export const bodyTypesOf = ({ method, bodyTypes }: EndpointShape): readonly MediaType[] =>
  bodyTypes ??
  (method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json']);

const KIB = 1_024;
const MIB = 1_048_576;
/** The size limit of every body before decompression, in bytes. */
export const WIRE_LIMIT = 5 * MIB;
/** Telemetry and messages may be larger: they are read in slices, in a worker thread. */
export const TELEMETRY_LIMIT = 20 * MIB;
/** Other bodies are small: a schema validates them on the main thread. */
const BODY_LIMIT = 256 * KIB;
const ANONYMOUS_LIMIT = 16 * KIB;

/** The size limit of an endpoint's body after decompression, in bytes. */
export const bodyLimitOf = ({ scope, bodyLimit }: EndpointShape): number =>
  bodyLimit ?? (scope === 'none' ? ANONYMOUS_LIMIT : BODY_LIMIT);

const formatSize = (bytes: number): string => (bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`);

/** The size limit of a body as text, such as “256 KiB”. */
export const describeBodyLimit = (bytes: number): string =>
  bytes > WIRE_LIMIT
    ? `${formatSize(WIRE_LIMIT)} on the wire and ${formatSize(bytes)} after decompression`
    : formatSize(bytes);

/** The statuses of success, the usual one first. */
export const statusesOf = ({ status }: EndpointShape): readonly number[] => [status].flat();

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
