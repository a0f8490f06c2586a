import { finished, Transform } from 'node:stream';
import type { FastifyRequest, RequestPayload } from 'fastify';
import { overloaded, type HttpProblem } from './http-problem.ts';

const MIB = 1_048_576;
/** The size limit of all bodies in flight, in bytes. Bodies with a small Content-Length have a budget of their own. */
const BUDGET = { small: 16 * MIB, large: 64 * MIB };
const SMALL_BYTES = 65_536;

const tooMany = (): HttpProblem =>
  overloaded('Too many large requests are in progress. Send the request again in a second.');

/** The bytes that a request holds until its handler is done and its response is sent or its connection is closed. */
type Lease = { size: keyof typeof BUDGET; bytes: number; isHandled: boolean; isClosed: boolean };

declare module 'fastify' {
  interface FastifyRequest {
    bodyLease: Lease | undefined;
  }
  interface FastifyInstance {
    bodyBudget: BodyBudget;
  }
}

/** The Content-Length of a body; undefined if there is none or the body is compressed. */
const announcedBytes = ({ headers }: FastifyRequest): number | undefined => {
  const length = headers['content-length'];
  return length === undefined || headers['content-encoding'] !== undefined ? undefined : Number(length);
};

/**
 * Limits the memory of the bodies in flight. Counts the Content-Length, or the bytes that arrive after decompression,
 * and releases them once the handler is done and the response is sent or the connection is closed. Above it: 503
 * `overloaded`.
 */
export const createBodyBudget = () => {
  const used = { small: 0, large: 0 };

  const grow = (lease: Lease, bytes: number): boolean => {
    if (used[lease.size] + bytes > BUDGET[lease.size]) return false;
    used[lease.size] += bytes;
    lease.bytes += bytes;
    return true;
  };

  const settle = (lease: Lease): void => {
    if (!lease.isHandled || !lease.isClosed) return;
    used[lease.size] -= lease.bytes;
    lease.bytes = 0;
  };

  return {
    /** The `preParsing` hook of a route. It runs after decompression. */
    preParsing: async (
      request: FastifyRequest,
      reply: { raw: NodeJS.WritableStream },
      payload: RequestPayload,
    ): Promise<RequestPayload> => {
      const announced = announcedBytes(request);
      const isSmall = announced !== undefined && announced <= SMALL_BYTES;
      const lease: Lease = { size: isSmall ? 'small' : 'large', bytes: 0, isHandled: true, isClosed: false };
      if (announced !== undefined && !grow(lease, announced)) throw tooMany();
      request.bodyLease = lease;
      finished(reply.raw, () => {
        lease.isClosed = true;
        settle(lease);
      });
      if (announced !== undefined) return payload;
      const counted = new Transform({
        transform: (chunk: Buffer, _encoding, done) => {
          // The request is answered: the rest of its body is discarded.
          if (lease.isClosed) done();
          else if (grow(lease, chunk.length)) done(null, chunk);
          else done(tooMany());
        },
      });
      // Fastify compares this with the Content-Length: the bytes before decompression.
      Object.defineProperty(counted, 'receivedEncodedLength', {
        get: () => payload.receivedEncodedLength,
      });
      payload.once('error', (error) => counted.destroy(error));
      // The parser removes its listener when it rejects a body. Without one, a later error would end the process.
      counted.on('error', () => undefined);
      return payload.pipe(counted);
    },

    /** Counts the bytes of a request while its handler runs, even after the client disconnects. */
    hold: async <T>({ bodyLease }: FastifyRequest, handle: () => Promise<T>): Promise<T> => {
      if (bodyLease === undefined) return handle();
      bodyLease.isHandled = false;
      try {
        return await handle();
      } finally {
        bodyLease.isHandled = true;
        settle(bodyLease);
      }
    },
  };
};
type BodyBudget = ReturnType<typeof createBodyBudget>;
