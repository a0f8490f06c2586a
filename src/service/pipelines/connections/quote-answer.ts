import { hideSecrets } from '../../platform/secrets/hide-secrets.ts';
import { shorten } from '../../platform/shorten.ts';

/** Number of characters to read of a response: more than enough for the quotation. */
const MOST_READ_CHARACTERS = 4_096;
const MOST_QUOTED_CHARACTERS = 300;

/** A response in one short line, without sent secrets that it may repeat. */
export const quoteAnswer = (text: string, sent: readonly (string | undefined)[]): string => {
  const read = text
    .slice(0, MOST_READ_CHARACTERS)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ');
  return shorten(hideSecrets(read, sent).trim().replace(/\.$/, ''), MOST_QUOTED_CHARACTERS);
};
