import { sql } from 'kysely';
import type { SearchWord } from '#contract/search-words.ts';
import { createPause } from '../platform/event-loop.ts';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import type { Position } from '../platform/storage/keyset.ts';
import { LISTED_COLUMNS, type ListedDevice } from './device-store.ts';

/** The index of SQLite requires at least three characters. */
const TRIGRAM = /.{3}/su;

/** Matches that are counted at a time. */
const COUNTED_AT_ONCE = 10_000;

/** At most this many devices that contain the rare parts of words are checked for the words. Then the whole words are looked up. */
const MAX_CANDIDATES = 1_000;

/** The words by which the index finds devices: they are long enough, and the database is not PostgreSQL. */
export const indexedWords = (db: Db, words: readonly SearchWord[]): SearchWord[] =>
  isPostgres(db) ? [] : words.filter((word) => word.every((spelling) => TRIGRAM.test(spelling)));

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The expression that finds the devices with all these words in `device_search`. */
export const toMatchExpression = (words: readonly SearchWord[]): string =>
  words.map((word) => `(${word.map(quote).join(' OR ')})`).join(' AND ');

/** The devices that match an expression, if they are at most `few`, by `seq` as a JSON array. */
export const findFewMatches = async (
  db: Db,
  expression: string,
  few: number,
): Promise<{ found: number; seqs: string } | undefined> => {
  // Read once: among a million devices, each search for characters that most of them have takes 4 ms.
  const { rows } = await sql<{ found: number; seqs: string }>`
    select count(*) as found, json_group_array(seq) as seqs from
      (select rowid as place from device_search where device_search match ${expression} limit ${few + 1}) as matches
      cross join device_place on device_place.place = matches.place`.execute(db);
  const { found = 0, seqs = '[]' } = rows[0] ?? {};
  return found > few ? undefined : { found, seqs };
};

type Page = {
  /** The position of the last device of the page before. */
  after: Position | undefined;
  isDescending: boolean;
  limit: number;
};

/** The place of the last device that is listed before a position. */
const placeBefore = ({ key, id }: Position, isDescending: boolean) => {
  const [operator, direction] = isDescending ? [sql`>=`, sql`asc`] : [sql`<=`, sql`desc`];
  return sql`(select place from device cross join device_place on device_place.seq = device.seq
    where deleted_at is null and (name_key, id) ${operator} (${key}, ${id})
    order by name_key ${direction}, id ${direction} limit 1)`;
};

/** Casts a place to an integer. The driver binds numbers as floating-point values, which the index filters by instead of seeking. */
const toRowId = (place: number) => sql`cast(${place} as integer)`;

const COLUMNS = sql.join(LISTED_COLUMNS.map((column) => sql.ref(column)));

type MatchQuery = {
  expression: string;
  maxCandidates: number;
  /** Words that the devices must contain, which the expression does not contain in full. */
  wholeWords?: readonly SearchWord[];
};

/** `isComplete`: there are no further candidates, or enough matches for the page. */
type Matches = { rows: ListedDevice[]; isComplete: boolean };

const findMatches = async (
  db: Db,
  { expression, maxCandidates, wholeWords = [] }: MatchQuery,
  { after, isDescending, limit }: Page,
): Promise<Matches> => {
  const [operator, direction] = isDescending ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const outermost = toRowId(isDescending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER);
  const start =
    after === undefined ? outermost : sql`coalesce(${placeBefore(after, isDescending)}, ${outermost})`;
  const candidates = sql`select rowid as place from device_search
    where device_search match ${expression} and rowid ${operator} ${start} order by rowid ${direction} limit ${maxCandidates}`;
  const conditions = wholeWords.map((word) => {
    const spellings = word.map((spelling) => sql`instr(search_key, ${spelling}) > 0`);
    return sql`and (${sql.join(spellings, sql` or `)})`;
  });
  const count =
    wholeWords.length === 0
      ? sql`null`
      : sql`case when (select count(*) from found) < ${limit} then (select count(*) from (${candidates})) end`;
  // SQLite reads candidates until the page is complete. For parts of words, it counts them if the page is short, in
  // the same statement, so that a candidate that is deleted meanwhile does not end the list.
  const { rows } = await sql<ListedDevice & { place: number; candidates: number | null }>`
    with found as (
      select ${COLUMNS}, candidate.place from (${candidates}) as candidate
        cross join device_place on device_place.place = candidate.place
        cross join device on device.seq = device_place.seq
      where deleted_at is null ${sql.join(conditions, sql` `)} order by candidate.place ${direction} limit ${limit})
    select found.*, ${count} as candidates from found`.execute(db);
  const counted = rows[0]?.candidates ?? maxCandidates;
  return {
    rows: rows.toSorted((one, other) => (isDescending ? other.place - one.place : one.place - other.place)),
    isComplete: rows.length === limit || counted < maxCandidates,
  };
};

/**
 * The next devices that contain words, in the order of names. `parts`: the words, or parts of some of them, that the
 * index looks up.
 */
export const findNextMatches = async (
  db: Db,
  words: readonly SearchWord[],
  { parts, ...page }: Page & { parts: readonly SearchWord[] },
): Promise<ListedDevice[]> => {
  const wholeWords = words.filter((word) => !parts.includes(word));
  if (wholeWords.length > 0) {
    const query = { expression: toMatchExpression(parts), maxCandidates: MAX_CANDIDATES, wholeWords };
    const { rows, isComplete } = await findMatches(db, query, page);
    if (isComplete) return rows;
  }
  return (await findMatches(db, { expression: toMatchExpression(words), maxCandidates: page.limit }, page))
    .rows;
};

type Counting = { isAwaited: IsAwaited; atOnce?: number };

/** Counts the devices that match an expression, in about half of the time of the main thread. Stops once nobody waits for the count. */
export const countMatches = async (
  db: Db,
  expression: string,
  { isAwaited, atOnce = COUNTED_AT_ONCE }: Counting,
): Promise<number> => {
  let [total, last] = [0, Number.MIN_SAFE_INTEGER];
  const pause = createPause();
  for (;;) {
    requireAwaited(isAwaited);
    const { rows } = await sql<{ found: number; last: number | null }>`
      select count(*) as found, max(place) as last from (select rowid as place from device_search
        where device_search match ${expression} and rowid > ${toRowId(last)} order by rowid limit ${atOnce}) as matches`.execute(
      db,
    );
    const [window] = rows;
    total += window?.found ?? 0;
    if (window?.last == null || window.found < atOnce) return total;
    last = window.last;
    await pause();
  }
};
