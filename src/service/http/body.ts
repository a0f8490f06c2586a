import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MediaType } from '#contract/endpoint.ts';
import { parseJson, UnreadableJson } from '../parse-json.ts';
import { Refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the endpoint has a body; where it has none, what is sent is not read. */
    takesBody?: boolean;
    bodyTypes?: readonly MediaType[];
  }
}

const ADVICE = {
  empty: 'Send a JSON document.',
  'too-deep': 'Flatten it.',
  'forbidden-key': 'Take it out.',
  'not-json': 'Mend it, then send it again.',
} as const;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Refusal `malformed-body`: other bytes would be stored as something that nobody sent */
const textOf = (bytes: Buffer | string): string => {
  try {
    return typeof bytes === 'string' ? bytes : utf8.decode(bytes);
  } catch {
    throw new Refusal(
      'malformed-body',
      'The body is not UTF-8 text. Encode it as UTF-8, then send it again.',
    );
  }
};

/** Parses a JSON body. @throws Refusal `malformed-body` that says what is wrong with it */
const parseBodyText = (text: string): unknown => {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw new Refusal('malformed-body', `The body ${error.message}. ${ADVICE[error.reason]}`);
  }
};

const ANY_TYPE = '*/*';

const mediaTypeOf = (request: FastifyRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const unsupported = (request: FastifyRequest): Refusal => {
  const takes = (request.routeOptions.config.bodyTypes ?? []).join(' or ');
  return new Refusal(
    'unsupported-media-type',
    `Send the body as ${takes}, not as ${mediaTypeOf(request) || 'an unnamed type'}.`,
  );
};

/**
 * JSON and merge patches (RFC 7396) are parsed here. An endpoint whose `bodyTypes` name another type is handed its
 * text; one that names any type is handed the bytes as they came, JSON included, and reads them itself.
 */
export const registerBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      try {
        const types: readonly string[] = request.routeOptions.config.bodyTypes ?? [];
        if (types.includes(ANY_TYPE)) return done(null, bytes);
        if (!types.includes(mediaTypeOf(request))) throw unsupported(request);
        return done(null, parseBodyText(textOf(bytes)));
      } catch (error) {
        return done(error as Error);
      }
    },
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      const types = request.routeOptions.config.bodyTypes ?? [];
      if (types.includes(ANY_TYPE)) return done(null, bytes);
      if (types.some((type) => type === mediaTypeOf(request))) return done(null, textOf(bytes));
      return done(unsupported(request));
    } catch (error) {
      return done(error as Error);
    }
  });
};
