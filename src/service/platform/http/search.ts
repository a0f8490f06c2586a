import { sql } from 'kysely';
import { searchWords, type SearchWord } from '#contract/search-words.ts';
import { invalidParameter } from './http-problem.ts';

/** Each word is looked up on its own. */
const MAX_WORDS = 10;

/**
 * The folded words of a search.
 * @throws HttpProblem 400 if they are too many
 */
export const readSearch = (search: string): SearchWord[] => {
  const words = searchWords(search);
  if (words.length > MAX_WORDS)
    throw invalidParameter(
      'q',
      'too-big',
      `Must have at most ${MAX_WORDS} words. A text in double quotes is one word.`,
    );
  return words;
};

const containsText = (column: string, text: string) => {
  const pattern = `%${text.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  // The backslash is the default escape in PostgreSQL but not in SQLite.
  return sql`${sql.ref(column)} like ${pattern} escape '\\'`;
};

/** Matches a folded column that contains the words of a search. */
export const contains = (column: string, search: string) => {
  const conditions = readSearch(search).map(
    (word) =>
      sql`(${sql.join(
        word.map((spelling) => containsText(column, spelling)),
        sql` or `,
      )})`,
  );
  return sql<boolean>`(${conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)})`;
};
