import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import type { AnswerOf, EndpointShape, ParsedBody, ParsedParams, ParsedQuery } from '#contract/endpoint.ts';
import { pointerOf, type FieldProblem } from '#contract/problem.ts';
import { decodeQuery } from '#contract/query-string.ts';
import { authorise, type Actor } from './auth.ts';
import { notFound, Refusal } from './refusal.ts';

/** What a handler is given: the parsed request and who asks. */
export type Context<E extends EndpointShape> = {
  params: ParsedParams<E>;
  query: ParsedQuery<E>;
  body: ParsedBody<E>;
  /** Who asks; of an endpoint with scope `none` it is undefined. */
  actor: E['scope'] extends 'none' ? undefined : Actor;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** An answer with more than a body. `etag` is the row's revision. */
export class Answer<T> {
  readonly body: T;
  readonly status: number | undefined;
  readonly headers: Record<string, string>;

  constructor(body: T, options: { status?: number; etag?: number; location?: string } = {}) {
    this.body = body;
    this.status = options.status;
    this.headers = {
      ...(options.etag === undefined ? {} : { etag: etagOf(options.etag) }),
      ...(options.location === undefined ? {} : { location: options.location }),
    };
  }
}

type Handler<E extends EndpointShape> = (
  context: Context<E>,
) => Promise<AnswerOf<E> | Answer<AnswerOf<E>> | FastifyReply>;

/** An endpoint with its handler, ready to be registered. */
export type Route = { endpoint: EndpointShape; handler: Handler<EndpointShape> };

/** Ties a handler to an endpoint; its types follow from the endpoint's schemas. */
export const route = <const E extends EndpointShape>(endpoint: E, handler: Handler<E>): Route =>
  // The one place where generic parts meet: what is parsed by E's schemas has E's types.
  ({ endpoint, handler: handler as unknown as Handler<EndpointShape> });

const etagOf = (revision: number): string => `"r${revision}"`;

/** Refuses a change that was made against another revision. Without `If-Match` it goes ahead. */
export const requireMatch = (request: FastifyRequest, revision: number): void => {
  const given = request.headers['if-match'];
  if (given === undefined || given === '*') return;
  if (!given.split(',').some((tag) => tag.trim() === etagOf(revision)))
    throw new Refusal(
      'precondition-failed',
      'It was changed meanwhile. Read it again, then repeat your change.',
      {
        headers: { etag: etagOf(revision) },
      },
    );
};

const fieldProblems = (error: z.ZodError): (FieldProblem & { pointer: string })[] =>
  error.issues.flatMap((issue) => {
    const code = issue.code.replaceAll('_', '-');
    if (issue.code !== 'unrecognized_keys')
      return [{ pointer: pointerOf(issue.path), code, detail: issue.message }];
    return issue.keys.map((key) => ({
      pointer: pointerOf([...issue.path, key]),
      code: 'unknown-field',
      detail: 'There is no such field. Leave it out.',
    }));
  });

const parseBody = (schema: z.ZodType, body: unknown): unknown => {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = fieldProblems(parsed.error);
  const first = errors[0];
  throw new Refusal(
    'validation-failed',
    `${first?.pointer || 'The body'}: ${first?.detail} Nothing was changed.`,
    { errors },
  );
};

const parseQuery = (schema: z.ZodObject | undefined, request: FastifyRequest): unknown => {
  const { searchParams } = new URL(request.url, 'http://localhost');
  if (schema === undefined) {
    const [name] = searchParams.keys();
    if (name === undefined) return undefined;
    throw wrongParameters([
      { parameter: name, code: 'unknown-parameter', detail: 'This endpoint takes no parameters.' },
    ]);
  }
  const { value, repeated } = decodeQuery(schema, searchParams);
  if (repeated.length > 0)
    throw wrongParameters(
      repeated.map((parameter) => ({ parameter, code: 'repeated', detail: 'May stand only once.' })),
    );
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw wrongParameters(
    fieldProblems(parsed.error).map(({ pointer, code, detail }) => {
      const unknown = code === 'unknown-field';
      return {
        parameter: pointer.split('/')[1] ?? '',
        code: unknown ? 'unknown-parameter' : code,
        detail: unknown
          ? `There is no such parameter; there are ${Object.keys(schema.shape).join(', ')}.`
          : detail,
      };
    }),
  );
};

const wrongParameters = (errors: (FieldProblem & { parameter: string })[]): Refusal =>
  new Refusal('invalid-parameter', `${errors[0]?.parameter}: ${errors[0]?.detail}`, { errors });

const parseParams = (schema: z.ZodObject | undefined, request: FastifyRequest): unknown => {
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(request.params);
  if (!parsed.success) throw notFound('resource');
  return parsed.data;
};

const mainStatus = ({ status }: EndpointShape): number =>
  typeof status === 'number' ? status : (status[0] ?? 200);

/** Registers a route: authorise, parse or refuse, handle, parse the answer (an unlisted column cannot leak). */
export const registerRoute = (app: FastifyInstance, { endpoint, handler }: Route): void => {
  if ((endpoint.scope as string | undefined) === undefined)
    throw new TypeError(
      `${endpoint.method} ${endpoint.path} has no scope: say 'none' where it needs no token.`,
    );
  app.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    config: endpoint.bodyTypes === undefined ? {} : { bodyTypes: endpoint.bodyTypes },
    // Before the body is read: who may not send it does not get to fill memory with it.
    onRequest: async (request) => {
      if (endpoint.scope !== 'none') request.actor = await authorise(request, endpoint.scope);
    },
    handler: async (request, reply) => {
      const answer = await handler({
        params: parseParams(endpoint.params, request) as undefined,
        query: parseQuery(endpoint.query, request) as undefined,
        body: (endpoint.body === undefined ? undefined : parseBody(endpoint.body, request.body)) as undefined,
        actor: request.actor as Actor,
        request,
        reply,
      });
      if (reply.sent || (answer as unknown) === reply) return reply;
      const { body, status, headers } = answer instanceof Answer ? answer : new Answer(answer);
      reply.code(status ?? mainStatus(endpoint)).headers(headers);
      if (endpoint.response === undefined) return reply.send();
      return reply
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(endpoint.response.parse(body)));
    },
  });
};
