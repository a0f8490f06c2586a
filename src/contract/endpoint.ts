import type * as z from 'zod';
import type { ProblemCode } from './problem.ts';
import type { Scope } from './scope.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `none`: answers without a token. `any`: any valid token. `any-read`: a token with at least one of `readScopes`.
 * Otherwise the scope that the token must hold.
 */
export type EndpointScope = Scope | 'any-read' | 'any' | 'none';

// The media types of request and response bodies. `*/*`: any type.
export type MediaType =
  | 'application/json'
  | 'application/merge-patch+json'
  | 'application/x-ndjson'
  | 'application/x-protobuf'
  | 'text/csv'
  | 'text/event-stream'
  | '*/*';

/** The tags of the document with their descriptions. */
export const tags = {
  Service: 'Health, addresses and storage of the service, and this document.',
  Sessions: 'Sign in, sign out and read the current session.',
  Overview: 'Counts, throughput and storage.',
  Devices: 'Register, read and change the devices that send telemetry.',
  Telemetry: 'Write, query, export and delete samples.',
  Pipelines:
    'A pipeline receives messages from a source, maps them to samples and delivers them to a destination. Its ledger counts every sample.',
  Events: 'The audit log and state changes.',
  Destinations: 'Where pipelines deliver samples.',
  Webhooks: 'Signed notifications of selected events.',
  'API keys': 'Tokens for programs and devices.',
  Network: 'Networks that Penstock may connect to, in addition to public addresses.',
  Stream: 'Live changes as server-sent events.',
} as const;

/** Fields that an endpoint does not have are `undefined` in its type. */
export type EndpointShape = {
  readonly method: Method;
  /** Path below the origin, with `{name}` for each parameter: `/v1/devices/{id}`. */
  readonly path: `/${string}`;
  readonly scope: EndpointScope;
  /** A second scope that the token must also have. */
  readonly alsoScope?: Scope;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /**
   * The accepted media types. Defaults to JSON (and, for PATCH, a merge patch). The handler gets parsed JSON, bytes for
   * any type, and text otherwise.
   */
  readonly bodyTypes?: readonly MediaType[];
  /** The size limit of the body after decompression, in bytes. Defaults to `BODY_LIMIT`. */
  readonly bodyLimit?: number;
  /** The Content-Encoding of the body, which the handler decompresses itself. Other endpoints accept gzip, or none. */
  readonly bodyEncoding?: 'snappy';
  /** True if the handler reads and validates the bytes of the body itself. The schema then only documents the body. */
  readonly readsBody?: boolean;
  /** True if the endpoint supports `If-Match` and rejects changes to an outdated revision. */
  readonly ifMatch?: boolean;
  /** True if the stream continues after `Last-Event-ID`. */
  readonly resumes?: boolean;
  /** The success status. If there are several, the usual one is first. */
  readonly status: number | readonly number[];
  /** The schema of the response. Omitted for 204 and for streams. */
  readonly response?: z.ZodType;
  /** The media types of the response. Defaults to JSON. */
  readonly responseTypes?: readonly MediaType[];
  /** The schema of each server-sent event, by event name. */
  readonly frames?: Readonly<Record<string, z.ZodType>>;
  /** True if the endpoint creates a resource and accepts an `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** True if the response has an `ETag` with the revision of the resource. A 201 then also has a `Location`. */
  readonly etag?: boolean;
  /** True if the response is a download with a file name. */
  readonly download?: boolean;
  /** True if the endpoint can use the disk reserve on a full disk: it signs in, revokes access or frees space. */
  readonly usesReserve?: boolean;
  /**
   * True if the handler reads or writes the built-in store. It returns `telemetry-unavailable` without telemetry.db.
   */
  readonly usesTelemetry?: boolean;
  /**
   * True if clients of InfluxDB call the endpoint. It takes the token as they send it, and its errors have the fields
   * that they read. It may be outside of `/v1`.
   */
  readonly forInfluxdbClients?: boolean;
  /**
   * True if the token may also be the password of HTTP Basic, for devices and programs that cannot send another header.
   * No response asks for it, so that browsers neither prompt for a password nor send one themselves.
   */
  readonly takesBasic?: boolean;
  /** True if the endpoint answers to any Host header: load balancers probe IP addresses. */
  readonly anyHost?: boolean;
  /** True if a request changes nothing although its method is not GET. */
  readonly safe?: boolean;
  readonly doc: {
    readonly tag: keyof typeof tags;
    readonly summary: string;
    readonly description: string;
    /** Examples of bodies that are not JSON. */
    readonly texts?: Partial<Record<MediaType, string>>;
    /** Problem codes in addition to those that follow from the shape. */
    readonly errors?: readonly ProblemCode[];
  };
};

/** Declares an endpoint: data that the service registers, the dashboard calls and the document lists. */
export const endpoint = <const E extends EndpointShape>(shape: E): E => shape;

/** The media types that an endpoint accepts. */
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
    ? `${formatSize(WIRE_LIMIT)} as sent and ${formatSize(bytes)} after decompression`
    : formatSize(bytes);

/** The success statuses, the usual one first. */
export const statusesOf = ({ status }: EndpointShape): readonly number[] => [status].flat();

type Infer<T, Side extends 'input' | 'output'> = T extends z.ZodType
  ? Side extends 'input'
    ? z.input<T>
    : z.output<T>
  : undefined;

/** The input of a caller. */
export type ParamsOf<E extends EndpointShape> = Infer<E['params'], 'input'>;
export type QueryOf<E extends EndpointShape> = Infer<E['query'], 'input'>;
export type BodyOf<E extends EndpointShape> = Infer<E['body'], 'input'>;
/** The parsed input of a handler. */
export type ParsedParams<E extends EndpointShape> = Infer<E['params'], 'output'>;
export type ParsedQuery<E extends EndpointShape> = Infer<E['query'], 'output'>;
export type ParsedBody<E extends EndpointShape> = Infer<E['body'], 'output'>;
/** What a handler returns, and what a caller receives. */
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
