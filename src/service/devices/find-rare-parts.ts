import { sql } from 'kysely';
import type { SearchWord } from '#contract/search-words.ts';
import type { Db } from '../platform/storage/database.ts';

/** Devices that are read to estimate how many devices contain a trigram. */
const SURVEYED_DEVICES = 64;
/** With fewer devices, the estimate is too rough, so the whole words are looked up. */
const MIN_SURVEYED = 16;
const SURVEY_VALID_MS = 60_000;
/** Trigrams that at least this share of devices contain are common. */
const COMMON_SHARE = 0.25;

/** The search keys of random devices. */
const readSurvey = async (db: Db): Promise<string[]> => {
  // Each in a query of its own: SQLite reads a whole index for two aggregates.
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select (select min(seq) from device) as first, (select max(seq) from device) as last`.execute(db);
  const [first, last] = [rows[0]?.first ?? 0, rows[0]?.last ?? 0];
  const seqs = Array.from(
    { length: SURVEYED_DEVICES },
    () => first + Math.floor(Math.random() * (last - first + 1)),
  );
  const survey = db
    .selectFrom('device')
    .select('search_key')
    .where(sql<boolean>`seq in (select value from json_each(${JSON.stringify(seqs)}))`)
    .where('deleted_at', 'is', null);
  return (await survey.execute()).map(({ search_key: key }) => key);
};

/** The part of a text from its first to its last trigram that is not common; undefined if all of them are. */
const cutRarePart = (text: string, survey: readonly string[]): string | undefined => {
  const characters = Array.from(text);
  const trigrams = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  const isRare = (trigram: string): boolean =>
    survey.filter((key) => key.includes(trigram)).length < survey.length * COMMON_SHARE;
  const first = trigrams.findIndex(isRare);
  return first === -1 ? undefined : characters.slice(first, trigrams.findLastIndex(isRare) + 3).join('');
};

/** The rare parts of all spellings of a word, or the word itself if they are whole; none if a spelling has only common parts. */
const cutRareParts = (word: SearchWord, survey: readonly string[]): SearchWord[] => {
  const parts = word.map((spelling) => cutRarePart(spelling, survey));
  if (!parts.every((part) => part !== undefined)) return [];
  return [parts.every((part, index) => part === word[index]) ? word : [...new Set(parts)]];
};

/**
 * Returns a function that finds the parts of words to look up in the index of trigrams. The index compares the positions of
 * each trigram in each device that contains all of them. Common trigrams at either end, such as those of a prefix of all external
 * IDs, exclude few devices and make the lookup ten times slower.
 */
export const createFindRareParts = (db: Db) => {
  let survey: readonly string[] = [];
  let validUntilMs = -Infinity;
  return async (words: readonly SearchWord[]): Promise<readonly SearchWord[]> => {
    if (performance.now() > validUntilMs) {
      // Before the read, so that searches that arrive meanwhile do not start another.
      validUntilMs = performance.now() + SURVEY_VALID_MS;
      survey = await readSurvey(db);
    }
    if (survey.length < MIN_SURVEYED) return words;
    const parts = words.flatMap((word) => cutRareParts(word, survey));
    return parts.length === 0 ? words : parts;
  };
};
