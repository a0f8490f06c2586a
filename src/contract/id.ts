import * as z from 'zod';

/** The prefixes of IDs. An ID is a TypeID (https://github.com/jetify-com/typeid): a prefix and a UUIDv7 in base 32. */
export const idPrefixes = ['dev', 'pip', 'dst', 'key', 'evt', 'dig', 'rej', 'ses', 'whk', 'net'] as const;
export type IdPrefix = (typeof idPrefixes)[number];

export const idPattern = (prefix: IdPrefix): RegExp => new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);

export const idSchema = (prefix: IdPrefix) =>
  z
    .string()
    .regex(idPattern(prefix), `Must be an ID that begins with ${prefix}_.`)
    .meta({ examples: [`${prefix}_01jz3k5v8cf6n9qw2r4t7y0abd`] });

/** Compiled once per prefix: a write checks each of its devices. */
const patterns = new Map<IdPrefix, RegExp>(idPrefixes.map((prefix) => [prefix, idPattern(prefix)]));

export const isId = (prefix: IdPrefix, text: string): boolean => patterns.get(prefix)?.test(text) === true;
