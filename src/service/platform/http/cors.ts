import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const HOUR_S = 3_600;

/**
 * Allows pages of these origins to call the API from a browser. None by default. Tokens are in a header, never in a
 * cookie.
 */
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
  // Lets pages of allowed origins read responses, despite the resource policy.
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin !== undefined && allowedOrigins.includes(origin))
      reply.header('cross-origin-resource-policy', 'cross-origin');
  });
};
