import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { describeBodyLimit, WIRE_LIMIT } from '#contract/endpoint.ts';
import { HttpProblem } from './http-problem.ts';

/** `limit`: the limit of the endpoint in bytes, after decompression. */
export const bodyTooLarge = (limit: number): HttpProblem =>
  new HttpProblem(
    'body-too-large',
    `The limit is ${describeBodyLimit(limit)}. Split the body and send several requests.`,
  );

const announcedBytes = (request: FastifyRequest): number => Number(request.headers['content-length'] ?? 0);

/** Headers that announce a body. */
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'transfer-encoding'];

/**
 * Rejects bodies that are too large as sent: immediately by Content-Length, otherwise when they exceed the limit.
 */
export const registerBodyLimits = (app: FastifyInstance): void => {
  app.addHook('onRequest', async (request) => {
    // The endpoint has no body, so a sent body is neither read nor validated.
    if (request.routeOptions.config.takesBody !== true)
      for (const name of BODY_HEADERS) delete request.headers[name];
    if (announcedBytes(request) > WIRE_LIMIT) throw bodyTooLarge(request.routeOptions.bodyLimit);
  });
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.headers['transfer-encoding'] === undefined) return payload;
    let bytes = 0;
    return payload.pipe(
      new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          bytes += chunk.length;
          if (bytes > WIRE_LIMIT) done(bodyTooLarge(request.routeOptions.bodyLimit));
          else done(null, chunk);
        },
      }),
    );
  });
};
