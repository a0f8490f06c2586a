import { sql, type SqlBool, type Expression } from 'kysely';
import { foldCase } from '#contract/fold-case.ts';
import { nextIteration } from '../platform/event-loop.ts';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import type { Position } from '../platform/storage/keyset.ts';

/** The index of SQLite requires at least three characters. */
const TRIGRAM = /.{3}/su;

/** Matches that are counted at a time. */
const COUNTED_AT_ONCE = 10_000;

/** A phrase for `device_search`; undefined: the text is too short for the index, or the database is PostgreSQL. */
export const phraseOf = (db: Db, text: string): string | undefined => {
  const folded = foldCase(text);
  return isPostgres(db) || !TRIGRAM.test(folded) ? undefined : `"${folded.replaceAll('"', '""')}"`;
};

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

/** The condition that a device is among the next matches in the order of names. */
export const isNextMatch = (phrase: string, { after, isDescending, limit }: Page): Expression<SqlBool> => {
  const [operator, direction] = isDescending ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`];
  const outermost = toRowId(isDescending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER);
  const start =
    after === undefined ? outermost : sql`coalesce(${placeBefore(after, isDescending)}, ${outermost})`;
  return sql<boolean>`device.seq in (select seq from
    (select rowid as place from device_search
      where device_search match ${phrase} and rowid ${operator} ${start} order by rowid ${direction} limit ${limit}) as matches
    cross join device_place on device_place.place = matches.place)`;
};

type Counting = { isAwaited: IsAwaited; atOnce?: number };

/** Counts the devices that match a phrase, with other work in between. Stops once nobody waits for the count. */
export const countMatches = async (
  db: Db,
  phrase: string,
  { isAwaited, atOnce = COUNTED_AT_ONCE }: Counting,
): Promise<number> => {
  let [total, last] = [0, Number.MIN_SAFE_INTEGER];
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
    await nextIteration();
  }
};
