import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const HOUR_S = 3_600;

/** Lets pages of exactly these origins call the API from a browser; none by default. Tokens travel in a header, never in a cookie. */
export const registerCors = async (
  app: FastifyInstance,
  allowedOrigins: readonly string[],
): Promise<void> => {
  if (allowedOrigins.length === 0) return;
  await app.register(cors, {
    origin: [...allowedOrigins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'if-match', 'idempotency-key', 'last-event-id'],
    exposedHeaders: ['etag', 'location', 'retry-after', 'x-request-id', 'www-authenticate'],
    maxAge: HOUR_S,
    hook: 'onRequest',
  });
  // A page of an allowed origin reads the answer although the resource policy keeps others out.
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin !== undefined && allowedOrigins.includes(origin))
      reply.header('cross-origin-resource-policy', 'cross-origin');
  });
};
