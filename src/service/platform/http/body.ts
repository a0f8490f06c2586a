import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MediaType } from '#contract/endpoint.ts';
import { decodeUtf8, NOT_UTF8, parseJson, UnreadableJson, type JsonLimits } from './parse-json.ts';
import { createIterationQueue } from '../event-loop.ts';
import { HttpProblem } from './http-problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the endpoint has a body. Otherwise a sent body is not read. */
    takesBody?: boolean;
    bodyTypes?: readonly MediaType[];
    /** Whether the handler receives the raw bytes and reads them itself. */
    takesBytes?: boolean;
    /** Whether clients of InfluxDB call the endpoint. */
    forInfluxdbClients?: boolean;
  }
}

const ADVICE = {
  empty: 'Send a JSON document.',
  'too-deep': 'Reduce the nesting.',
  'too-many-entries': 'Split it and send several requests.',
  'forbidden-key': 'Remove this key.',
  'not-json': 'Fix it, then send it again.',
} as const;

/** @throws HttpProblem `malformed-body` */
const decodeBody = (bytes: Uint8Array): string => {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new HttpProblem('malformed-body', NOT_UTF8);
  return text;
};

/** Parses a JSON body. @throws HttpProblem `malformed-body` */
const parseBodyText = (text: string, limits?: JsonLimits): unknown => {
  try {
    return parseJson(text, limits);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw new HttpProblem('malformed-body', `The body ${error.message}. ${ADVICE[error.reason]}`);
  }
};

const ANY_TYPE = '*/*';
/** Schemas visit every entry of a list or object before they check its length. */
const LIMITS: JsonLimits = { entries: 2_000, values: 100_000 };
/** Each larger body is parsed in its own iteration of the event loop. */
const SMALL_BYTES = 16_384;

const mediaTypeOf = (request: FastifyRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** RFC 9110, 8.3.1: two tokens separated by a slash. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/;

/** For a body whose Content-Type is missing, not a media type, or not accepted by the endpoint. */
export const unsupportedType = (request: FastifyRequest): HttpProblem => {
  const takes = (request.routeOptions.config.bodyTypes ?? ['application/json']).join(' or ');
  const type = mediaTypeOf(request);
  const detail = MEDIA_TYPE.test(type)
    ? `Send the body as ${takes}, not as ${type}.`
    : `${type === '' ? 'The request has no Content-Type.' : `The Content-Type "${type}" is not a media type.`} Send the body as ${takes}, with that type in the header.`;
  return new HttpProblem('unsupported-media-type', detail);
};

/** The body of a request to an endpoint that takes bytes. */
export const bytesOf = ({ body }: { body?: unknown }): Uint8Array =>
  body instanceof Uint8Array ? body : new Uint8Array();

/**
 * Parses JSON and merge patches (RFC 7396). Endpoints that take bytes receive them as sent, even if they are JSON.
 */
export const registerBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addHook('onRequest', async ({ headers, routeOptions }) => {
    // The command line of InfluxDB 1 sends an empty one.
    if (routeOptions.config.forInfluxdbClients === true) headers['content-type'] ||= 'text/plain';
  });
  const waitForIteration = createIterationQueue();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: string | Buffer) => {
      const { bodyTypes = [], takesBytes = false } = request.routeOptions.config;
      const types: readonly string[] = bodyTypes;
      if (!types.includes(ANY_TYPE) && !types.includes(mediaTypeOf(request))) throw unsupportedType(request);
      const bytes = typeof body === 'string' ? Buffer.from(body) : body;
      if (takesBytes) return bytes;
      if (bytes.length > SMALL_BYTES) await waitForIteration();
      return parseBodyText(decodeBody(bytes), LIMITS);
    },
  );
};
