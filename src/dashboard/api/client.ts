import {
  fillPath,
  type BodyOf,
  type EndpointShape,
  type MediaType,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '#contract/endpoint.ts';
import { missingScopesOf } from '#contract/missing-scopes.ts';
import { encodeQuery } from '#contract/query-string.ts';
import { scopes } from '#contract/scope.ts';
import { recordServerTime } from '../ui/browser/clock.ts';
import {
  errorOf,
  missingScopesError,
  offlineError,
  signedOutError,
  unexpectedAnswer,
  type ApiError,
} from './api-error.ts';
import { isDryRun, recordChange } from './recorded-change.ts';
import { session } from './session.ts';
import { randomUuid } from './random-uuid.ts';

type Part<Name extends string, Shape, Value> = Shape extends undefined
  ? unknown
  : undefined extends Value
    ? { [K in Name]?: Value }
    : object extends Value
      ? { [K in Name]?: Value }
      : { [K in Name]: Value };

type Options<E extends EndpointShape> = Part<'params', E['params'], ParamsOf<E>> &
  Part<'query', E['query'], QueryOf<E>> &
  Part<'body', E['body'], BodyOf<E>> & {
    signal?: AbortSignal | undefined;
    headers?: Record<string, string>;
    /** A body that is not JSON, sent unchanged. */
    raw?: { type: MediaType; content: string | Blob };
    /** The `ETag` that the change is based on. Default: the last `ETag` seen of the resource. */
    ifMatch?: string | null | undefined;
    /** Lets the request finish after the page was closed. */
    keepalive?: boolean;
  };

type Args<E extends EndpointShape> =
  object extends Options<E> ? [options?: Options<E>] : [options: Options<E>];

type Loose = {
  params?: Record<string, string>;
  query?: Parameters<typeof encodeQuery>[0];
  body?: unknown;
  signal?: AbortSignal;
  headers?: Record<string, string>;
  raw?: { type: MediaType; content: string | Blob };
  ifMatch?: string | null;
  keepalive?: boolean;
};

/** ETags by the path of their resource, for `If-Match`. */
const etags = new Map<string, string>();

export const etagOf = <E extends EndpointShape>(endpoint: E, params: ParamsOf<E>): string | undefined =>
  etags.get(fillPath(endpoint.path, params as Record<string, string>));

/** Idempotency keys of creations without a response: a retry must not create a second resource. */
const unanswered = new Map<string, string>();

/** The path of a `Location` header without the base path, as in the contract. */
const stripBasePath = (location: string): string => {
  const base = new URL(session.baseUrl());
  return new URL(location, base).pathname.slice(base.pathname.replace(/\/$/, '').length);
};

const keepEtag = (endpoint: EndpointShape, path: string, response: Response) => {
  if (endpoint.method === 'DELETE') etags.delete(path);
  const etag = response.headers.get('etag');
  const location = response.headers.get('location');
  const resource = endpoint.idempotent === true ? location && stripBasePath(location) : path;
  if (etag === null || resource === null) return;
  etags.set(resource, etag);
};

/** Notes the operation in errors, so that every page can say what failed. */
const withOperation = (endpoint: EndpointShape, error: ApiError): ApiError => {
  error.operation = `${endpoint.method} ${endpoint.path}`;
  return error;
};

/** The only place where the dashboard fetches. Returns a successful response, or throws an `ApiError`. */
const request = async (endpoint: EndpointShape, options: Loose): Promise<Response> => {
  const path = fillPath(endpoint.path, options.params);
  const url = new URL(`${session.baseUrl()}${path}${encodeQuery(options.query)}`);
  const token = endpoint.scope === 'none' ? null : session.tokenFor(url);
  if (token === null && endpoint.scope !== 'none') throw withOperation(endpoint, signedOutError());
  const missing = missingScopesOf(endpoint, session.scopes() ?? scopes);
  if (missing.length > 0) throw withOperation(endpoint, missingScopesError(missing));
  const headers = new Headers({
    accept: endpoint.responseTypes?.join(', ') ?? 'application/json',
    ...options.headers,
  });
  if (token !== null) headers.set('authorization', `Bearer ${token}`);

  let body: string | Blob | null = null;
  if (options.raw !== undefined) {
    headers.set('content-type', options.raw.type);
    body = options.raw.content;
  } else if (options.body !== undefined) {
    headers.set(
      'content-type',
      endpoint.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    );
    body = JSON.stringify(options.body);
  }

  if (endpoint.method !== 'GET' && endpoint.method !== 'POST') {
    const etag = options.ifMatch === undefined ? etags.get(path) : options.ifMatch;
    if (etag !== undefined && etag !== null) headers.set('if-match', etag);
  }
  const attempt = `${path} ${typeof body === 'string' ? body : ''}`;
  if (endpoint.idempotent === true) {
    const key = unanswered.get(attempt) ?? randomUuid();
    unanswered.set(attempt, key);
    headers.set('idempotency-key', key);
  }

  let response: Response;
  try {
    response = await fetch(url, {
      method: endpoint.method,
      headers,
      body,
      signal: options.signal ?? null,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      keepalive: options.keepalive ?? false,
    });
  } catch (cause) {
    options.signal?.throwIfAborted();
    throw withOperation(endpoint, offlineError(cause));
  }
  recordServerTime(response.headers.get('date'));

  if (response.ok) {
    unanswered.delete(attempt);
    keepEtag(endpoint, path, response);
    if (!isDryRun(options.body)) recordChange(endpoint, token);
    return response;
  }
  const error = withOperation(endpoint, await errorOf(response));
  // A proxy sends 502 or 504 without knowing whether the service created the resource.
  if (error.status < 500 && error.code !== 'idempotency-in-progress') unanswered.delete(attempt);
  if (error.status === 401 && token !== null) session.end(token, error.code);
  throw error;
};

/** Calls an endpoint of the contract. Returns its parsed body and its ETag; throws `ApiError`. */
export const callWithEtag = async <const E extends EndpointShape>(
  endpoint: E,
  ...[options]: Args<E>
): Promise<{ body: ResponseOf<E>; etag: string | undefined }> => {
  const response = await request(endpoint, (options ?? {}) as Loose);
  const etag = response.headers.get('etag') ?? undefined;
  if (endpoint.response === undefined) return { body: undefined as ResponseOf<E>, etag };
  let body: unknown;
  try {
    body = await response.json();
  } catch (cause) {
    options?.signal?.throwIfAborted();
    throw withOperation(endpoint, unexpectedAnswer(response, cause));
  }
  const parsed = endpoint.response.safeParse(body);
  if (!parsed.success) throw withOperation(endpoint, unexpectedAnswer(response, parsed.error));
  return { body: parsed.data as ResponseOf<E>, etag };
};

/** As `callWithEtag`, but returns only the body. */
export const call = async <const E extends EndpointShape>(
  endpoint: E,
  ...args: Args<E>
): Promise<ResponseOf<E>> => (await callWithEtag(endpoint, ...args)).body;

/** Opens an endpoint whose response is a stream (server-sent events, exports). */
export const openStream = async <const E extends EndpointShape>(
  endpoint: E,
  ...[options]: Args<E>
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> => {
  const response = await request(endpoint, (options ?? {}) as Loose);
  if (response.body === null) throw withOperation(endpoint, unexpectedAnswer(response));
  return response.body;
};
