import { FORBIDDEN_KEYS } from '#contract/sample-rules.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of these bytes; undefined if they are not UTF-8: the decoded text would differ from what was sent. */
export const decodeUtf8 = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
};

const lossyUtf8 = new TextDecoder();
export const decodeLossyUtf8 = (bytes: Uint8Array): string => lossyUtf8.decode(bytes);

/** For a body whose bytes are not UTF-8. */
export const NOT_UTF8 = 'The body is not UTF-8 text. Encode it as UTF-8, then send it again.';

const MAX_DEPTH = 32;

const OPEN = 0x5b; // [ ; { is 0x20 above it, and so are their closers
const CLOSE = 0x5d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/** Matches texts that may contain a forbidden key. The escapes are those of `_` and letters. */
const SUSPECT = /__proto__|constructor|\\u00[567]/i;

/** Why a received text is not acceptable JSON. The message is the end of a sentence. */
export class UnreadableJson extends Error {
  override readonly name = 'UnreadableJson';
  readonly reason: 'empty' | 'too-deep' | 'too-many-entries' | 'forbidden-key' | 'not-json';

  constructor(reason: UnreadableJson['reason'], detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** How many values the parsed form of a text may contain. */
export type JsonLimits = {
  /** Maximum number of entries in a list or object. */
  readonly entries: number;
  /** Maximum number of keys in an object. Defaults to `entries`. */
  readonly keys?: number;
  /** Maximum number of values in total, lists and objects included. */
  readonly values: number;
};

const UNLIMITED: JsonLimits = { entries: Infinity, values: Infinity };

/** For writes and messages of many megabytes: each parsed object takes some hundred bytes of memory. */
export const TELEMETRY_JSON_LIMITS: JsonLimits = { entries: Infinity, keys: 100_000, values: 3_000_000 };

/** The entries of each open list or object, the outermost first, and their limits. Allocated once, for short lines. */
const counts = new Uint32Array(MAX_DEPTH + 2);
const limits = new Float64Array(MAX_DEPTH + 2).fill(Infinity);

/**
 * Throws if JSON text nests too deeply or exceeds its limits. Scans the text before it is parsed, so that hostile text
 * costs neither stack nor memory. Text that is not JSON may pass.
 */
const requireWithinLimits = (text: string, { entries, keys = entries, values }: JsonLimits): void => {
  let depth = 0;
  counts[0] = 0;
  let total = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === COMMA) {
      total += 1;
      if ((counts[depth] = (counts[depth] ?? 0) + 1) >= (limits[depth] ?? Infinity))
        throw new UnreadableJson(
          'too-many-entries',
          `contains a list or object with more than ${limits[depth]} entries`,
        );
    } else if (code === OPEN || code === OPEN + 0x20) {
      total += 1;
      if (++depth > MAX_DEPTH) throw new UnreadableJson('too-deep', `nests deeper than ${MAX_DEPTH} levels`);
      counts[depth] = 0;
      limits[depth] = code === OPEN ? entries : keys;
    } else if ((code === CLOSE || code === CLOSE + 0x20) && depth > 0) depth--;
    if (total > values)
      throw new UnreadableJson('too-many-entries', `contains more than ${values} values, lists and objects`);
  }
};

const forbiddenKeyIn = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.includes(key) && !Array.isArray(value)) return key;
    const found = forbiddenKeyIn(inner);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** A number as some programs write it, which JSON does not allow. */
const NOT_FINITE = /-?(?:nan|inf(?:inity)?)(?!\w)/iy;
const [MINUS, UPPER_I, UPPER_N, TO_LOWER] = [0x2d, 0x49, 0x4e, 0x20];

/** The first NaN or Infinity of a text that is not JSON, with its position; undefined: none. */
const findNotFinite = (text: string): string | undefined => {
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString && code === BACKSLASH) index++;
    else if (code === QUOTE) inString = !inString;
    else if (
      !inString &&
      (code === MINUS || (code & ~TO_LOWER) === UPPER_I || (code & ~TO_LOWER) === UPPER_N)
    ) {
      NOT_FINITE.lastIndex = index;
      const [token] = NOT_FINITE.exec(text) ?? [];
      if (token !== undefined) return `${token} at position ${index}`;
    }
  }
  return undefined;
};

/** The message of the parser, without the part of the text that it quotes. */
const faultOf = (error: unknown): string =>
  error instanceof Error ? error.message.replace(/, (\.{3})?".*$/s, '').replace(' in JSON', '') : '';

/** Parses without stack traces, which are most of the cost of a body with many invalid lines. @throws UnreadableJson */
const parseText = (text: string): unknown => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return JSON.parse(text);
  } catch (error) {
    const notFinite = findNotFinite(text);
    const fault =
      notFinite === undefined
        ? faultOf(error)
        : `${notFinite} is not a number in JSON. Leave out values that are not finite`;
    throw new UnreadableJson('not-json', `is not JSON: ${fault}`);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

/**
 * Parses all received JSON: bodies, lines of NDJSON and messages of devices. Ignores a byte order mark.
 * @throws UnreadableJson if the text is not JSON, nests deeper than 32 levels, exceeds the limits, or has a key
 * `__proto__` or `constructor`
 */
export const parseJson = (given: string, limits: JsonLimits = UNLIMITED): unknown => {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  if (text.trim() === '') throw new UnreadableJson('empty', 'is empty');
  requireWithinLimits(text, limits);
  const value = parseText(text);
  const key = SUSPECT.test(text) ? forbiddenKeyIn(value) : undefined;
  if (key !== undefined) throw new UnreadableJson('forbidden-key', `has a key ${key}`);
  return value;
};
