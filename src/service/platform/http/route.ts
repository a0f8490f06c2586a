import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  bodyLimitOf,
  bodyTypesOf,
  statusesOf,
  type AnswerOf,
  type EndpointShape,
  type ParsedBody,
  type ParsedParams,
  type ParsedQuery,
} from '#contract/endpoint.ts';
import { apiCompression } from './compression.ts';
import { Answer, JsonText } from './answer.ts';
import { preferredType } from './preferred-type.ts';
import { authorise, type Actor } from './auth.ts';
import type { SaveResponse } from './idempotency.ts';
import type { DiskGuard } from '../storage/disk-guard.ts';
import { parseRequest } from './parse-request.ts';
import { HttpProblem } from './http-problem.ts';

/** The input of a handler: the parsed request and the actor. */
export type Context<E extends EndpointShape> = {
  params: ParsedParams<E>;
  query: ParsedQuery<E>;
  body: ParsedBody<E>;
  /** The actor; undefined for endpoints with the scope `none`. */
  actor: E['scope'] extends 'none' ? undefined : Actor;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Stores the response for replays of its `Idempotency-Key`. Call it in the transaction of the creation. */
  saveResponse: SaveResponse;
};

declare module 'fastify' {
  interface FastifyInstance {
    disk: DiskGuard;
  }
}

type Handler<E extends EndpointShape> = (
  context: Context<E>,
) => Promise<AnswerOf<E> | Answer<AnswerOf<E>> | JsonText | FastifyReply>;

type Options = {
  /**
   * The handler builds each row from named fields, so the response is not parsed again: for lists that are read often.
   * In tests, every response is compared with its schema.
   */
  readonly buildsFields?: boolean;
};

/** An endpoint with its handler, ready to be registered. */
export type Route = { endpoint: EndpointShape; handler: Handler<EndpointShape> } & Options;

/** Connects a handler to an endpoint. Its types follow from the schemas of the endpoint. */
export const route = <const E extends EndpointShape>(
  endpoint: E,
  handler: Handler<E>,
  options: Options = {},
): Route =>
  // The cast is safe: values parsed by the schemas of E have the types of E.
  ({ endpoint, handler: handler, ...options });

type Parsed = Pick<Context<EndpointShape>, 'params' | 'query' | 'body'>;

const skipIdempotency: SaveResponse = async () => undefined;

/** Rejects a request, before any effect, if no media type of the response is acceptable. */
const requireAcceptable = ({ response, responseTypes }: EndpointShape, request: FastifyRequest): void => {
  const types = responseTypes ?? (response === undefined ? [] : (['application/json'] as const));
  if (types.length === 0 || preferredType(request.headers.accept, types) !== undefined) return;
  throw new HttpProblem(
    'not-acceptable',
    `The response is ${types.join(' or ')}. Accept this type, or omit the Accept header.`,
  );
};

/** Parses a request, calls its handler and sends the result. */
const handleRequest = async (
  app: FastifyInstance,
  { endpoint, handler, buildsFields = false }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> => {
  const parsed = parseRequest(endpoint, request);
  const actor = request.actor as Actor;
  const handle = (saveResponse: SaveResponse) =>
    handler({ ...(parsed as Parsed), actor, request, reply, saveResponse });
  const run = () =>
    endpoint.idempotent === true
      ? app.idempotency(request, actor, parsed.body, handle)
      : handle(skipIdempotency);
  const answer = await (endpoint.usesReserve === true ? app.disk.withReserve(run) : run());
  // A handler that sends its response itself returns the reply, whose promise is fulfilled with undefined at the end.
  if (reply.raw.destroyed && !reply.sent)
    request.log.debug('the client disconnected before the end of the response');
  if (reply.sent || reply.raw.destroyed) return reply;
  const { body, status, headers } = answer instanceof Answer ? answer : new Answer(answer);
  reply.code(status ?? statusesOf(endpoint)[0] ?? 200).headers(headers);
  if (endpoint.response === undefined) return reply.send();
  reply.type('application/json; charset=utf-8');
  if (body instanceof JsonText) return reply.send(body.text);
  return reply.send(JSON.stringify(buildsFields ? body : endpoint.response.parse(body)));
};

/**
 * Registers a route: authorise, parse the request, handle, parse the response (so that unlisted columns cannot leak).
 */
export const registerRoute = (app: FastifyInstance, registered: Route): void => {
  const { endpoint } = registered;
  if ((endpoint.scope as string | undefined) === undefined)
    throw new TypeError(
      `${endpoint.method} ${endpoint.path} has no scope. Use 'none' if it requires no token.`,
    );
  app.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    config: {
      takesBody: endpoint.body !== undefined,
      ...(endpoint.body === undefined ? {} : { bodyTypes: bodyTypesOf(endpoint) }),
      anyHost: endpoint.anyHost === true,
      forInfluxdbClients: endpoint.forInfluxdbClients === true,
      takesBytes: endpoint.readsBody === true || endpoint.bodyTypes?.includes('*/*') === true,
    },
    ...(endpoint.body === undefined ? {} : { preParsing: app.bodyBudget.preParsing }),
    bodyLimit: bodyLimitOf(endpoint),
    compress: apiCompression,
    ...(endpoint.bodyEncoding === undefined ? {} : { decompress: false }),
    // Before the body is read, so that unauthorised clients cannot fill the memory.
    onRequest: async (request) => {
      if (endpoint.scope !== 'none') request.actor = await authorise(request, endpoint);
      requireAcceptable(endpoint, request);
    },
    handler: (request, reply) =>
      app.bodyBudget.hold(request, () => handleRequest(app, registered, request, reply)),
  });
};
