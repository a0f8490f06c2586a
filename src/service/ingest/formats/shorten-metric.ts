import { createHash } from 'node:crypto';

const LONGEST = 128;
const HASH_DIGITS = 16;
const ONLY_METRIC_CHARACTERS = /^[\p{L}\p{N}._\-/:]+$/u;

/**
 * The name of a metric in at most 128 characters. A longer one keeps its beginning and ends in a dot and the first 64
 * bits of its SHA-256 in hexadecimal: always the same for one name, and another for another that begins alike. A name
 * with characters that no metric may have stays as it is, to be rejected. `identity` is what the name stands for,
 * where that says more than the name.
 */
export const shortenMetric = (name: string, identity: string = name): string => {
  if (name.length <= LONGEST || !ONLY_METRIC_CHARACTERS.test(name)) return name;
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, HASH_DIGITS);
  const beginning = name.slice(0, LONGEST - HASH_DIGITS - 1);
  // Half of a character is none.
  return `${beginning.isWellFormed() ? beginning : beginning.slice(0, -1)}.${hash}`;
};
