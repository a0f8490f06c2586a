import { hideSecrets } from '../../platform/secrets/hide-secrets.ts';

/** So much of an answer is looked at; of what is quoted more than enough. */
const MOST_READ_CHARACTERS = 4_096;
const MOST_QUOTED_CHARACTERS = 300;

/** What the other side said, in one short line, without the secrets that were sent and it may have repeated. */
export const quoteAnswer = (said: string, sent: readonly (string | undefined)[]): string => {
  const read = said
    .slice(0, MOST_READ_CHARACTERS)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ');
  const line = hideSecrets(read, sent).trim().replace(/\.$/, '');
  return line.length > MOST_QUOTED_CHARACTERS
    ? `${line.slice(0, MOST_QUOTED_CHARACTERS).toWellFormed()}…`
    : line;
};
