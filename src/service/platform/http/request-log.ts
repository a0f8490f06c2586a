import type { FastifyInstance } from 'fastify';
import { clientAddressOf } from './client-address.ts';

/** Logs each request when its response is sent, at level debug. The query is left out, because it may contain a secret. */
export const registerRequestLog = (app: FastifyInstance): void => {
  app.addHook('onResponse', async (request, reply) => {
    request.log.debug(
      {
        method: request.method,
        path: request.url.replace(/\?.*/s, ''),
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime),
        from: clientAddressOf(request),
      },
      'request',
    );
  });
};
