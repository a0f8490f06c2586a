import { sql, type RawBuilder } from 'kysely';
import { foldCase } from '#contract/text.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { contains } from '../platform/storage/keyset.ts';

/**
 * Up to this number of matches are looked up one by one and sorted. More matches are so common that reading the list in
 * order soon finds a page of them.
 */
const FEW = 1_000;
/** The index of SQLite requires at least three characters. */
const TRIGRAM = /.{3}/su;

const areFew = async (db: Db, matches: RawBuilder<unknown>): Promise<boolean> => {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from (${matches} limit ${FEW + 1}) as matches`.execute(db);
  return (rows[0]?.found ?? 0) <= FEW;
};

/**
 * The condition that the name or external ID of a device contains a text, ignoring case. The planner of PostgreSQL
 * chooses the index itself; in SQLite the form of the condition decides.
 */
export const searchCondition = async (db: Db, text: string): Promise<RawBuilder<boolean>> => {
  const folded = foldCase(text);
  if (isPostgres(db) || !TRIGRAM.test(folded)) return contains('search_key', text);
  const phrase = `"${folded.replaceAll('"', '""')}"`;
  const matches = sql`select rowid from device_search where device_search match ${phrase}`;
  return (await areFew(db, matches))
    ? sql<boolean>`device.seq in (${matches})`
    : contains('search_key', text);
};

/** The condition that a device has a tag. */
export const tagCondition = async (db: Db, key: string, value: string): Promise<RawBuilder<boolean>> => {
  const matches = sql`select device_id from device_tag where key = ${key} and value = ${value}`;
  return isPostgres(db) || (await areFew(db, matches))
    ? sql<boolean>`device.id in (${matches})`
    : sql<boolean>`exists (${matches} and device_id = device.id)`;
};

/** The condition that a device was last seen before a time. Devices that were never seen do not match. */
export const silentCondition = async (db: Db, beforeMs: number): Promise<RawBuilder<boolean>> => {
  const isSilent = (table: string) =>
    sql<boolean>`${sql.ref(`${table}.last_seen_at`)} > 0 and ${sql.ref(`${table}.last_seen_at`)} < ${beforeMs}`;
  const matches = sql`select silent.id from device as silent where ${isSilent('silent')} and silent.deleted_at is null`;
  return isPostgres(db) || !(await areFew(db, matches))
    ? isSilent('device')
    : sql<boolean>`device.id in (${matches})`;
};

/** The condition that a device does not have a tag. */
export const withoutTagCondition = (key: string): RawBuilder<boolean> =>
  sql<boolean>`not exists (select 1 from device_tag where device_id = device.id and key = ${key})`;
