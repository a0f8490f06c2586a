import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { problems, type Problem } from '#contract/problem.ts';
import { DiskTooFullToDelete, isDiskFull, isDiskReadOnly } from '../storage/disk-full.ts';
import { DatabaseUnavailable } from '../storage/dialects/database-unavailable.ts';
import { isLocked } from '../storage/dialects/sqlite.ts';
import { InvalidCursor } from '../storage/keyset.ts';
import { QueryTooLarge, StoreBusy, TelemetryUnavailable } from '../storage/store-errors.ts';
import { bodyTooLarge } from './body-limits.ts';
import { unsupportedType } from './body.ts';
import { closeWith } from './connections.ts';
import { HttpProblem, overloaded } from './http-problem.ts';
import { protection } from './security.ts';

/** Errors of Fastify, its parsers and the databases as problems. */
const httpProblemOf = (error: FastifyError, request: FastifyRequest): HttpProblem | undefined => {
  if (error instanceof HttpProblem) return error;
  if (error instanceof InvalidCursor)
    return new HttpProblem(
      'cursor-mismatch',
      'This cursor belongs to another list, filter or sort. Start again without a cursor.',
    );
  if (error instanceof TelemetryUnavailable) return new HttpProblem('telemetry-unavailable', error.message);
  if (error instanceof QueryTooLarge) return new HttpProblem('query-too-large', error.message);
  if (error instanceof DiskTooFullToDelete)
    return new HttpProblem(
      'storage-full',
      'Nothing was changed: the disk of the service is full, and Penstock cannot delete data either. Remove other files from the disk or enlarge it, then send the request again.',
    );
  if (isDiskFull(error))
    return new HttpProblem(
      'storage-full',
      'Nothing was stored: the disk of the service is full. Free some disk space, then send the request again.',
    );
  if (isDiskReadOnly(error))
    return new HttpProblem(
      'storage-read-only',
      'Nothing was stored: the disk of the service is read-only. Make it writable, then send the request again.',
    );
  if (error instanceof DatabaseUnavailable)
    return overloaded(
      'The database of the service does not answer. Send the request again in a few seconds.',
      5,
    );
  if (isLocked(error))
    return overloaded(
      'Another program has locked the database of the service. Close the program, or send the request again in a few seconds.',
      5,
    );
  if (error instanceof StoreBusy)
    return overloaded('Too many writes are waiting for the disk. Send the request again in a second.');
  switch (error.code) {
    case 'ECONNRESET':
      // The client has gone. The problem only keeps this from being logged as an internal error.
      return request.raw.destroyed
        ? new HttpProblem('malformed-body', 'The body is incomplete. Send the request again.')
        : undefined;
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(request.routeOptions.bodyLimit);
    case 'FST_CP_ERR_INVALID_CONTENT_ENCODING':
      return new HttpProblem(
        'unsupported-media-type',
        `The Content-Encoding ${request.headers['content-encoding']} is not supported. Use gzip, or no compression.`,
      );
    case 'FST_CP_ERR_INVALID_CONTENT':
      return new HttpProblem(
        'malformed-body',
        'The body cannot be decompressed. Compress it as Content-Encoding says, or send it without compression.',
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedType(request);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new HttpProblem(
        'malformed-body',
        'The length of the body does not match its Content-Length. Send the request again.',
      );
    default:
      return undefined;
  }
};

const problemOf = (problem: HttpProblem, requestId: string): Problem => ({
  type: `urn:penstock:problem:${problem.code}`,
  title: problems[problem.code].title,
  status: problem.status,
  detail: problem.message,
  code: problem.code,
  requestId,
  ...(problem.errors === undefined ? {} : { errors: problem.errors }),
});

/** Clients of InfluxDB show `message` (version 2) or `error` (version 1) of a JSON body. */
const forInfluxdbClients = (problem: Problem) => ({
  ...problem,
  message: problem.detail,
  error: problem.detail,
});

export const sendProblem = (reply: FastifyReply, problem: HttpProblem): FastifyReply => {
  const isInfluxdb = reply.request.routeOptions.config.forInfluxdbClients === true;
  const body = problemOf(problem, reply.request.id);
  return (
    reply
      // The discarded response may have been compressed.
      .removeHeader('content-encoding')
      // An export sets its file name before its first read, which may fail.
      .removeHeader('content-disposition')
      .code(problem.status)
      .headers(problem.headers)
      .type(isInfluxdb ? 'application/json' : 'application/problem+json')
      .serializer((problem: unknown) => JSON.stringify(problem))
      .send(isInfluxdb ? forInfluxdbClients(body) : body)
  );
};

/** A raw HTTP/1.1 response with a problem, for errors before there is a request. */
const rawProblem = (problem: HttpProblem, requestId: string, policy: string): string => {
  const body = JSON.stringify(problemOf(problem, requestId));
  const headers = {
    ...protection(policy, requestId),
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${[`${problem.status} ${STATUS_CODES[problem.status] ?? ''}`, ...lines].join('\r\n')}\r\n\r\n${body}`;
};

const clientErrors: Record<string, HttpProblem> = {
  HPE_HEADER_OVERFLOW: new HttpProblem(
    'headers-too-large',
    'The request line and headers are limited to 16 KiB in total.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new HttpProblem(
    'request-timeout',
    'The request did not arrive in time. Send it faster, or split it.',
  ),
};
const unreadable = new HttpProblem('malformed-body', 'This is not a valid HTTP/1.1 request.');

/** Answers requests that are not valid HTTP or time out, and closes the connection. */
export const createClientErrorHandler =
  (policy: string, newRequestId: () => string) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    closeWith(socket, rawProblem(clientErrors[error.code ?? ''] ?? unreadable, newRequestId(), policy));
  };

/** Answers URLs that the router cannot parse. It reports them before any hook runs. */
export const createFrameworkErrorHandler =
  (policy: string) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    void reply.headers({ ...protection(policy, request.id), 'cache-control': 'no-store' });
    const tooLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
    void sendProblem(
      reply,
      tooLong
        ? new HttpProblem('not-found', 'There is no resource at this URL.')
        : new HttpProblem(
            'invalid-parameter',
            'The URL is not percent-encoded UTF-8. Fix it, then send the request again.',
          ),
    );
  };

/** Turns every error into a problem. Unexpected errors are logged and answered with 500 without details. */
export const registerErrors = (app: FastifyInstance): void => {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = httpProblemOf(error, request);
    if (problem !== undefined) return sendProblem(reply, problem);
    // A client that disconnects during the response is not an error of the service.
    const level = error.code === 'ERR_STREAM_PREMATURE_CLOSE' ? 'debug' : 'error';
    request.log[level](
      { err: error, method: request.method, route: request.routeOptions.url },
      'request failed',
    );
    return sendProblem(
      reply,
      new HttpProblem(
        'internal-error',
        `Try again. If the error persists, search the log of the service for ${request.id}.`,
      ),
    );
  });
};
