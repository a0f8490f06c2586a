import { sql, type RawBuilder } from 'kysely';
import { foldCase } from '#contract/text.ts';
import type { Db } from '../storage/database.ts';
import { isPostgres } from '../storage/is-postgres.ts';
import { contains } from '../storage/keyset.ts';

/**
 * Up to so many matches are looked up one by one and sorted. More than that are so common that a walk of the list in
 * its order meets a page of them soon.
 */
const FEW = 1_000;
/** What the index of SQLite takes at least: three characters. */
const TRIGRAM = /.{3}/su;

const amongFew = (column: string, found: readonly (string | number)[]): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(found)}))`;

/** The condition that a device's name or external id contains a text, ignoring case. PostgreSQL's planner finds its way by itself. */
export const searchCondition = async (db: Db, text: string): Promise<RawBuilder<boolean>> => {
  const folded = foldCase(text);
  if (isPostgres(db) || !TRIGRAM.test(folded)) return contains('search_key', text);
  const phrase = `"${folded.replaceAll('"', '""')}"`;
  const { rows } = await sql<{ rowid: number }>`
    select rowid from device_search where device_search match ${phrase} limit ${FEW + 1}`.execute(db);
  if (rows.length > FEW) return contains('search_key', text);
  return amongFew(
    'seq',
    rows.map(({ rowid }) => rowid),
  );
};

/** The condition that a device carries a tag. */
export const tagCondition = async (db: Db, key: string, value: string): Promise<RawBuilder<boolean>> => {
  const carries = sql<boolean>`exists (
    select 1 from device_tag as tagged
    where tagged.device_id = device.id and tagged.key = ${key} and tagged.value = ${value})`;
  if (isPostgres(db)) return carries;
  const found = await db
    .selectFrom('device_tag')
    .select('device_id')
    .where('key', '=', key)
    .where('value', '=', value)
    .limit(FEW + 1)
    .execute();
  if (found.length > FEW) return carries;
  return amongFew(
    'device.id',
    found.map(({ device_id }) => device_id),
  );
};
