import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problems, type Problem } from '#contract/problem.ts';
import { isDiskFull } from '../storage/disk-full.ts';
import { StorageFull, StoreBusy } from '../telemetry/telemetry-store.ts';
import { bodyTooLarge } from './body-limits.ts';
import { Refusal } from './refusal.ts';

/** What fastify and its parsers refuse by themselves, in our codes. */
const refusalOf = (error: FastifyError, request: FastifyRequest): Refusal | undefined => {
  if (error instanceof Refusal) return error;
  if (error instanceof StorageFull || isDiskFull(error))
    return new Refusal(
      'storage-full',
      'Nothing of this request was stored. Free some disk space, then send it again.',
    );
  if (error instanceof StoreBusy)
    return new Refusal(
      'overloaded',
      'More is being written than the disk can take. Send it again in a second.',
      {
        headers: { 'retry-after': '1' },
      },
    );
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge();
    case 'FST_CP_ERR_INVALID_CONTENT_ENCODING':
      return new Refusal(
        'unsupported-media-type',
        `Send the body as it is or as gzip, not as ${request.headers['content-encoding']}.`,
      );
    case 'FST_CP_ERR_INVALID_CONTENT':
      return new Refusal(
        'malformed-body',
        'The body is not what its Content-Encoding says. Send it again, whole.',
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(
        'unsupported-media-type',
        `Send the body as application/json, not as ${request.headers['content-type'] ?? 'an unnamed type'}.`,
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Refusal(
        'malformed-body',
        'The body is not as long as its Content-Length says. Send it again, whole.',
      );
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new Refusal('malformed-body', 'The body is empty. Send a JSON document.');
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Refusal('malformed-body', 'The body is not JSON. Mend it, then send it again.');
    default:
      return undefined;
  }
};

const problemOf = (refusal: Refusal, requestId: string): Problem => ({
  type: `urn:penstock:problem:${refusal.code}`,
  title: problems[refusal.code].title,
  status: refusal.status,
  detail: refusal.message,
  code: refusal.code,
  requestId,
  ...(refusal.errors === undefined ? {} : { errors: refusal.errors }),
});

export const sendProblem = (reply: FastifyReply, refusal: Refusal): FastifyReply =>
  reply
    .code(refusal.status)
    .headers(refusal.headers)
    .type('application/problem+json')
    .serializer((problem: unknown) => JSON.stringify(problem))
    .send(problemOf(refusal, reply.request.id));

/** A refusal that is sent before there is a request: the raw HTTP/1.1 answer. */
const rawProblem = (refusal: Refusal): string => {
  const body = JSON.stringify(problemOf(refusal, 'none'));
  const head = [
    `HTTP/1.1 ${refusal.status} ${refusal.code}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};

const clientErrors: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: new Refusal(
    'headers-too-large',
    'The request line and headers may hold 16 KiB in all.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new Refusal(
    'request-timeout',
    'The request did not arrive in time. Send it again, faster.',
  ),
};
const unreadable = new Refusal('malformed-body', 'This is not an HTTP/1.1 request that can be read.');

/** Answer to what cannot even be parsed as HTTP. */
export const clientErrorHandler = (error: NodeJS.ErrnoException, socket: NodeJS.WritableStream): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  socket.end(rawProblem(clientErrors[error.code ?? ''] ?? unreadable));
};

/** Makes every failure a problem: refusals as they are, anything else a logged bug and a 500 without detail. */
export const registerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = refusalOf(error, request);
    if (refusal !== undefined) return sendProblem(reply, refusal);
    request.log.error(
      { err: error, method: request.method, route: request.routeOptions.url },
      'request failed',
    );
    return sendProblem(
      reply,
      new Refusal('internal-error', `Try again; if it stays, look for ${request.id} in the service's log.`),
    );
  });
};
