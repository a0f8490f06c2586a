import { sql } from 'kysely';
import { foldCase } from '#contract/fold-case.ts';
import { createPause } from '../platform/event-loop.ts';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import type { Position } from '../platform/storage/keyset.ts';
import { LISTED, type ListedDevice } from './device-store.ts';

/** The index of SQLite requires at least three characters. */
const TRIGRAM = /.{3}/su;

/** Matches that are counted at a time. */
const COUNTED_AT_ONCE = 10_000;

/** Devices that contain a part of a text, of which at most these are read to find those that contain the text. */
const CANDIDATES = 1_000;

/** Whether the index finds devices by a text: it is long enough, and the database is not PostgreSQL. */
export const isIndexed = (db: Db, text: string): boolean => !isPostgres(db) && TRIGRAM.test(foldCase(text));

/** The phrase that finds a text in `device_search`. */
export const phraseOf = (text: string): string => `"${foldCase(text).replaceAll('"', '""')}"`;

/** The devices that match a phrase, if they are at most `few`, by `seq` as a JSON array. */
export const findFewMatches = async (
  db: Db,
  phrase: string,
  few: number,
): Promise<{ found: number; seqs: string } | undefined> => {
  // Read once: among a million devices, each search for characters that most of them have takes 4 ms.
  const { rows } = await sql<{ found: number; seqs: string }>`
    select count(*) as found, json_group_array(seq) as seqs from
      (select rowid as place from device_search where device_search match ${phrase} limit ${few + 1}) as matches
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

type Matches = { phrase: string; atMost: number; containing?: string };

const findMatches = async (
  db: Db,
  { phrase, atMost, containing }: Matches,
  { after, isDescending, limit }: Page,
) => {
  const [operator, direction] = isDescending ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const outermost = toRowId(isDescending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER);
  const start =
    after === undefined ? outermost : sql`coalesce(${placeBefore(after, isDescending)}, ${outermost})`;
  const places = sql`select rowid as place from device_search
    where device_search match ${phrase} and rowid ${operator} ${start} order by rowid ${direction} limit ${atMost}`;
  const condition = containing === undefined ? sql`` : sql`and instr(search_key, ${containing}) > 0`;
  // SQLite reads the devices in the order of their places, and stops after the last one of the page.
  const { rows } = await sql<ListedDevice>`
    select ${sql.join(LISTED.map((column) => sql.ref(column)))} from (${places}) as matches
      cross join device_place on device_place.place = matches.place
      cross join device on device.seq = device_place.seq
    where deleted_at is null ${condition} order by matches.place ${direction} limit ${limit}`.execute(db);
  const countCandidates = async (): Promise<number> => {
    const counted = await sql<{
      found: number;
    }>`select count(*) as found from (${places}) as matches`.execute(db);
    return counted.rows[0]?.found ?? 0;
  };
  return { rows, countCandidates };
};

/** The next devices that contain a text, in the order of names. `part`: a part of the folded text, which fewer trigrams find. */
export const findNextMatches = async (
  db: Db,
  text: string,
  { part, ...page }: Page & { part: string },
): Promise<ListedDevice[]> => {
  const folded = foldCase(text);
  if (part !== folded) {
    const matches = { phrase: phraseOf(part), atMost: CANDIDATES, containing: folded };
    const { rows, countCandidates } = await findMatches(db, matches, page);
    if (rows.length === page.limit || (await countCandidates()) < CANDIDATES) return rows;
  }
  return (await findMatches(db, { phrase: phraseOf(text), atMost: page.limit }, page)).rows;
};

type Counting = { isAwaited: IsAwaited; atOnce?: number };

/** Counts the devices that match a phrase, with at most half of the main thread. Stops once nobody waits for the count. */
export const countMatches = async (
  db: Db,
  phrase: string,
  { isAwaited, atOnce = COUNTED_AT_ONCE }: Counting,
): Promise<number> => {
  let [total, last] = [0, Number.MIN_SAFE_INTEGER];
  const pause = createPause();
  for (;;) {
    requireAwaited(isAwaited);
    const { rows } = await sql<{ found: number; last: number | null }>`
      select count(*) as found, max(place) as last from (select rowid as place from device_search
        where device_search match ${phrase} and rowid > ${toRowId(last)} order by rowid limit ${atOnce}) as matches`.execute(
      db,
    );
    const [window] = rows;
    total += window?.found ?? 0;
    if (window?.last == null || window.found < atOnce) return total;
    last = window.last;
    await pause();
  }
};
