import { createHash } from 'node:crypto';

const MAX_LENGTH = 128;
const HASH_DIGITS = 16;
const ONLY_METRIC_CHARACTERS = /^[\p{L}\p{N}._\-/:]+$/u;
const NOT_IN_METRIC = /[^\p{L}\p{N}._\-/:]/gu;

/**
 * Shortens the name of a metric to 128 characters: its beginning, a dot and the first 64 bits of its SHA-256 in
 * hexadecimal. The same name always gives the same result, and long names that begin alike stay different. A name with
 * invalid characters is returned unchanged, to be rejected. `identity`: the text to hash, if the name is ambiguous.
 */
export const shortenMetric = (name: string, identity: string = name): string => {
  if (name.length <= MAX_LENGTH || !ONLY_METRIC_CHARACTERS.test(name)) return name;
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_DIGITS);
  const beginning = name.slice(0, MAX_LENGTH - HASH_DIGITS - 1);
  // The cut may split a surrogate pair.
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}.${hash}`;
};

/** A metric name of parts such as a measurement, its tags and a field: joined by dots, other characters as `_`. */
export const metricOfParts = (parts: readonly string[]): string =>
  shortenMetric(parts.join('.').replace(NOT_IN_METRIC, '_'), parts.join('\n'));
