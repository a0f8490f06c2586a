import { Transform } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

const MIB = 1_048_576;
/** As it comes over the wire. */
const WIRE_MIB = 5;
const INFLATED_MIB = 20;

/** The limit that the parser holds: of a body after it was inflated. */
export const INFLATED_BYTES = INFLATED_MIB * MIB;

/** Of a body that comes without a token. */
export const ANONYMOUS_BYTES = 16_384;

/** `limit` is that of the endpoint, in bytes inflated. */
export const bodyTooLarge = (limit = INFLATED_BYTES): Refusal =>
  new Refusal(
    'body-too-large',
    limit < MIB
      ? `The limit is ${limit / 1_024} KiB.`
      : `The limit is ${WIRE_MIB} MiB as sent and ${INFLATED_MIB} MiB inflated. Send it in several requests.`,
  );

const announcedBytes = (request: FastifyRequest): number => Number(request.headers['content-length'] ?? 0);

/** What announces a body. */
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'transfer-encoding'];

/** Refuses what is too large on the wire: at once where its length is announced, else as soon as it is over. */
export const registerBodyLimits = (app: FastifyInstance): void => {
  app.addHook('onRequest', async (request) => {
    // Nobody asked for it, so nobody reads it: it fills no memory and cannot be wrong.
    if (request.routeOptions.config.takesBody !== true)
      for (const name of BODY_HEADERS) delete request.headers[name];
    if (announcedBytes(request) > WIRE_MIB * MIB) throw bodyTooLarge();
  });
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (request.headers['transfer-encoding'] === undefined) return payload;
    let bytes = 0;
    return payload.pipe(
      new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          bytes += chunk.length;
          if (bytes > WIRE_MIB * MIB) done(bodyTooLarge());
          else done(null, chunk);
        },
      }),
    );
  });
};
