import { sql, type RawBuilder } from 'kysely';
import { foldCase } from '#contract/text.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { contains } from '../platform/storage/keyset.ts';

/**
 * Up to so many matches are looked up one by one and sorted. More than that are so common that a walk of the list in
 * its order meets a page of them soon.
 */
const FEW = 1_000;
/** What the index of SQLite takes at least: three characters. */
const TRIGRAM = /.{3}/su;

const areFew = async (db: Db, matches: RawBuilder<unknown>): Promise<boolean> => {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from (${matches} limit ${FEW + 1}) as matches`.execute(db);
  return (rows[0]?.found ?? 0) <= FEW;
};

/**
 * The condition that a device's name or external id contains a text, ignoring case. PostgreSQL's planner chooses its
 * way itself; SQLite's is told by the form of the condition.
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

/** The condition that a device carries a tag. */
export const tagCondition = async (db: Db, key: string, value: string): Promise<RawBuilder<boolean>> => {
  const matches = sql`select device_id from device_tag where key = ${key} and value = ${value}`;
  return isPostgres(db) || (await areFew(db, matches))
    ? sql<boolean>`device.id in (${matches})`
    : sql<boolean>`exists (${matches} and device_id = device.id)`;
};
