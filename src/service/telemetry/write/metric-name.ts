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
  return withHash(name, identity);
};

/** A name of at most 128 characters that ends in the hash of a text. */
const withHash = (name: string, identity: string): string => {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_DIGITS);
  const beginning = name.slice(0, MAX_LENGTH - HASH_DIGITS - 1);
  // The cut may split a surrogate pair.
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}.${hash}`;
};

/** A metric name of parts such as a measurement, its tags and a field: joined by dots, other characters as `_`. */
export const metricOfParts = (parts: readonly string[]): string =>
  shortenMetric(parts.join('.').replace(NOT_IN_METRIC, '_'), parts.join('\n'));

const PLAIN_NAME = /^[A-Za-z_:][A-Za-z0-9_:]*$/;
const PLAIN_LABEL = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A letter after a dot in a value could begin the name of another label: `a="1.b.2"` reads like `a="1",b="2"`. */
const LIKE_LABEL = /\.[\p{L}_]/u;
/** The last bucket of every histogram, which no other value resembles. */
const INFINITY = '+Inf';

const isPlainValue = (value: string): boolean =>
  value === INFINITY || (ONLY_METRIC_CHARACTERS.test(value) && !LIKE_LABEL.test(value));

/**
 * The metric of a name and its labels, joined by dots. Different labels never give the same metric: where characters were replaced
 * or a value reads like another label, it ends in a hash.
 */
export const distinctMetricOf = (
  name: string,
  labels: readonly (readonly [label: string, value: string])[],
): { metric: string; identity: string } => {
  const parts = [name, ...labels.flat()];
  const identity = JSON.stringify(parts);
  const joined = parts.join('.').replace(NOT_IN_METRIC, '_');
  const isPlain =
    PLAIN_NAME.test(name) && labels.every(([label, value]) => PLAIN_LABEL.test(label) && isPlainValue(value));
  return { metric: isPlain ? shortenMetric(joined, identity) : withHash(joined, identity), identity };
};
