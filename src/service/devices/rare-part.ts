import { sql } from 'kysely';
import { foldCase } from '#contract/fold-case.ts';
import type { Db } from '../platform/storage/database.ts';

/** Devices that are read to estimate how many devices contain a trigram. */
const SAMPLED = 64;
/** Fewer devices say too little. */
const MIN_SAMPLED = 16;
const SAMPLE_LASTS_MS = 60_000;
/** Trigrams that at least this share of devices contain are common. */
const COMMON = 0.25;

/** The search keys of devices at random. */
const readSample = async (db: Db): Promise<string[]> => {
  const range = await db
    .selectFrom('device')
    .select((is) => [is.fn.min<number | null>('seq').as('first'), is.fn.max<number | null>('seq').as('last')])
    .executeTakeFirst();
  const [first, last] = [range?.first ?? 0, range?.last ?? 0];
  const seqs = Array.from({ length: SAMPLED }, () => first + Math.floor(Math.random() * (last - first + 1)));
  const sample = db
    .selectFrom('device')
    .select('search_key')
    .where(sql<boolean>`seq in (select value from json_each(${JSON.stringify(seqs)}))`)
    .where('deleted_at', 'is', null);
  return (await sample.execute()).map(({ search_key: key }) => key);
};

/** The part of a text from its first to its last trigram that is not common; the whole text if all of them are. */
const rarePartIn = (text: string, sample: readonly string[]): string => {
  if (sample.length < MIN_SAMPLED) return text;
  const characters = Array.from(text);
  const trigrams = characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  const isRare = (trigram: string): boolean =>
    sample.filter((key) => key.includes(trigram)).length < sample.length * COMMON;
  const first = trigrams.findIndex(isRare);
  return first === -1 ? text : characters.slice(first, trigrams.findLastIndex(isRare) + 3).join('');
};

/**
 * Returns a function that finds the part of a text to look up in the index of trigrams. The index compares the positions of each
 * trigram in each device that contains all of them. Trigrams at the beginning or the end that most devices contain, such as those
 * of a prefix of all external IDs, make this ten times longer and exclude few devices.
 */
export const createRarePartOf = (db: Db) => {
  let sample: readonly string[] = [];
  let untilMs = -Infinity;
  return async (text: string): Promise<string> => {
    if (performance.now() > untilMs) {
      sample = await readSample(db);
      untilMs = performance.now() + SAMPLE_LASTS_MS;
    }
    return rarePartIn(foldCase(text), sample);
  };
};
