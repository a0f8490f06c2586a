import { createHash } from 'node:crypto';
import { METRIC_NAME, METRIC_NAME_LENGTH } from '#contract/sample-rules.ts';

const HASH_DIGITS = 16;
const NOT_IN_METRIC = /[^\p{L}\p{N}._\-/:]/gu;

/**
 * Shortens the name of a metric to 128 characters: its beginning, a dot and the first 64 bits of its SHA-256 in
 * hexadecimal. The same name always gives the same result, and long names that begin alike stay different. A name with
 * invalid characters is returned unchanged, to be rejected. `identity`: the text to hash, if the name is ambiguous.
 */
export const shortenMetric = (name: string, identity: string = name): string => {
  if (name.length <= METRIC_NAME_LENGTH || !METRIC_NAME.test(name)) return name;
  return withHash(name, identity);
};

/** A name of at most 128 characters that ends in the hash of a text. */
const withHash = (name: string, identity: string): string => {
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_DIGITS);
  const beginning = name.slice(0, METRIC_NAME_LENGTH - HASH_DIGITS - 1);
  // The cut may split a surrogate pair.
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}.${hash}`;
};

/**
 * The characters at the beginning of a name that are spelled. Spelling takes time for each character, and many names in
 * a message may begin with the same long text.
 */
export const SPELLED_LENGTH = 256;

/** Characters that do not distinguish names, such as the blank and the brackets of `Temp (°C)`. */
const AROUND_NAMES = /[\s()[\]{}"'’,;%°#]+/gu;

/**
 * The metric of a field with any name. Blanks, brackets and similar characters become `_`. If other characters are
 * replaced, the name ends in a hash, so that different names stay different. Long names are shortened.
 */
export const spellMetric = (name: string): string => {
  if (name.length > SPELLED_LENGTH) return withHash(spellMetric(name.slice(0, SPELLED_LENGTH)), name);
  if (METRIC_NAME.test(name)) return shortenMetric(name);
  const plain = name
    .normalize('NFC')
    .replace(AROUND_NAMES, '_')
    .replaceAll(/^_+|(?<!_)_+(?=\.|$)/g, '');
  if (METRIC_NAME.test(plain)) return shortenMetric(plain);
  return withHash(plain.replace(NOT_IN_METRIC, '_') || 'metric', name);
};

/** A metric name of parts such as a measurement, its tags and a field: joined by dots, other characters as `_`. */
export const metricOfParts = (parts: readonly string[]): string => {
  const joined = parts.join('.');
  const spelled = joined.slice(0, SPELLED_LENGTH).replace(NOT_IN_METRIC, '_');
  const identity = parts.join('\n');
  return joined.length > SPELLED_LENGTH ? withHash(spelled, identity) : shortenMetric(spelled, identity);
};

/** How a name and its labels are written, and which of them can be read back without doubt. */
export type MetricSpelling = {
  readonly beforeLabel: string;
  readonly beforeValue: string;
  readonly plainName: RegExp;
  readonly plainLabel: RegExp;
  /** What in a value could be the beginning of another label. */
  readonly likeLabel: RegExp;
};

/** `up.job.node`: `a="1.b.2"` reads like `a="1",b="2"`. */
export const prometheusSpelling: MetricSpelling = {
  beforeLabel: '.',
  beforeValue: '.',
  plainName: /^[A-Za-z_:][A-Za-z0-9_:]*$/,
  plainLabel: /^[A-Za-z_][A-Za-z0-9_]*$/,
  likeLabel: /\.[\p{L}_]/u,
};

/** `http.requests/http.method:GET`: names of OpenTelemetry contain dots, and no colons. */
export const otlpSpelling: MetricSpelling = {
  beforeLabel: '/',
  beforeValue: ':',
  plainName: /^[\p{L}\p{N}._\-/]+$/u,
  plainLabel: /^[\p{L}\p{N}._-]+$/u,
  likeLabel: /\/[\p{L}\p{N}._-]+:/u,
};

/** The last bucket of every histogram, which no other value resembles. */
const INFINITY = '+Inf';

/**
 * The metric of a name and its labels. Different labels never give the same metric: where characters were replaced or a
 * value reads like another label, it ends in a hash.
 */
export const distinctMetricOf = (
  name: string,
  labels: readonly (readonly [label: string, value: string])[],
  { beforeLabel, beforeValue, plainName, plainLabel, likeLabel }: MetricSpelling,
): { metric: string; identity: string } => {
  const isPlain =
    plainName.test(name) &&
    labels.every(
      ([label, value]) =>
        plainLabel.test(label) && (value === INFINITY || (METRIC_NAME.test(value) && !likeLabel.test(value))),
    );
  const identity = JSON.stringify([name, ...labels.flat()]);
  const joined = [name, ...labels.map(([label, value]) => `${label}${beforeValue}${value}`)]
    .join(beforeLabel)
    .replace(NOT_IN_METRIC, '_');
  return { metric: isPlain ? shortenMetric(joined, identity) : withHash(joined, identity), identity };
};
