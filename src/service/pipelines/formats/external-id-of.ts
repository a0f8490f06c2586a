import { createHash } from 'node:crypto';
import { EXTERNAL_ID_LENGTH, isExternalId } from '#contract/external-id.ts';
import { slugOf } from '#contract/slug-of.ts';

const HASH_DIGITS = 8;

/** Keeps the last result: all samples of a message may have the same long name. */
const keepLast = (idOf: (name: string) => string): ((name: string) => string) => {
  let last = { name: '', id: idOf('') };
  return (name) => {
    if (name !== last.name) last = { name, id: idOf(name) };
    return last.id;
  };
};

/** The name if it is a valid external ID, otherwise its slug. */
export const externalIdOf = keepLast((name) =>
  isExternalId(name) ? name : slugOf(name, EXTERNAL_ID_LENGTH) || name,
);

const lettersIn = (text: string): number => text.normalize('NFKD').match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/**
 * The name if it is a valid external ID, otherwise its slug with `:` for `/`. A name that the slug cannot spell, such as
 * `灯 1`, gets 8 hexadecimal digits of its SHA-256, so that names of different letters stay different devices.
 */
export const distinctExternalIdOf = keepLast((name) => {
  if (isExternalId(name)) return name;
  const slug = slugOf(name.replaceAll('/', ':'), EXTERNAL_ID_LENGTH - HASH_DIGITS - 1);
  if (slug !== '' && lettersIn(slug) === lettersIn(name)) return slug;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_DIGITS);
  return `${slug || 'device'}-${hash}`;
});
