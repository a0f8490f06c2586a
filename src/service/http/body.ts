import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import type { MediaType } from '#contract/endpoint.ts';
import { Refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the endpoint has a body; one without ignores that a client names a type for nothing. */
    takesBody?: boolean;
    bodyTypes?: readonly MediaType[];
  }
}

const MAX_DEPTH = 32;

const OPEN = 0x5b; // [ ; { is 0x20 above it, and so are their closers
const CLOSE = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** True where JSON text nests deeper than `limit`; looked at before parsing, so that depth costs no stack. */
export const nestsDeeper = (text: string, limit: number): boolean => {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN || code === OPEN + 0x20) {
      if (++depth > limit) return true;
    } else if (code === CLOSE || code === CLOSE + 0x20) depth--;
  }
  return false;
};

const whereItBroke = (error: unknown): string => {
  const detail = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(detail)?.[1];
  return position === undefined ? '' : ` (at character ${position})`;
};

/** Parses a JSON body. @throws Refusal `malformed-body` that says where, `__proto__` and `constructor` keys included */
export const parseJson = (text: string): unknown => {
  if (text === '') throw new Refusal('malformed-body', 'The body is empty. Send a JSON document.');
  if (nestsDeeper(text, MAX_DEPTH))
    throw new Refusal('malformed-body', `The body nests deeper than ${MAX_DEPTH} levels. Flatten it.`);
  try {
    return secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    if (error instanceof SyntaxError && error.message.includes('forbidden prototype'))
      throw new Refusal(
        'malformed-body',
        'The body has a key __proto__ or constructor.prototype. Take it out.',
      );
    throw new Refusal(
      'malformed-body',
      `The body is not JSON${whereItBroke(error)}. Mend it, then send it again.`,
    );
  }
};

const ANY_TYPE = '*/*';

const mediaTypeOf = (request: FastifyRequest): string =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const unsupported = (request: FastifyRequest): Refusal => {
  const takes = (request.routeOptions.config.bodyTypes ?? ['application/json']).join(' or ');
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
        const isUnasked = request.routeOptions.config.takesBody !== true && bytes.length === 0;
        if (isUnasked) return done(null, undefined);
        const isRaw = request.routeOptions.config.bodyTypes?.includes(ANY_TYPE) === true;
        return done(null, isRaw ? bytes : parseJson(bytes.toString()));
      } catch (error) {
        return done(error as Error);
      }
    },
  );
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    const types = request.routeOptions.config.bodyTypes ?? [];
    if (types.includes(ANY_TYPE)) done(null, bytes);
    else if (types.some((type) => type === mediaTypeOf(request))) done(null, bytes.toString());
    else done(unsupported(request));
  });
};
