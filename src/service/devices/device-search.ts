import { expressionBuilder, sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import type * as z from 'zod';
import type { deviceListQuery } from '#contract/devices.ts';
import { parseTag } from '#contract/tag.ts';
import { foldCase } from '#contract/text.ts';
import type { Db, Schema } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { contains } from '../platform/storage/keyset.ts';
import { deviceWindows } from './device-windows.ts';

/** The filters that select devices. */
export type DeviceFilter = Pick<
  z.output<typeof deviceListQuery>,
  'q' | 'state' | 'type' | 'tag' | 'silentFor' | 'withoutTag'
>;

/** Devices that a token can read: all (`only` null), or those with these IDs. `nowMs`: for filters by age. */
export type Reader = { only: readonly string[] | null; nowMs: number };

/** `matchesFew`: an index finds the matching devices, and there are few of them. */
type Condition = { where: Expression<SqlBool>; matchesFew: boolean };

/** The conditions of a filter, to add to a query of `device`. `matchesFew`: one of them matches few devices. */
type Conditions = { where: Expression<SqlBool>[]; matchesFew: boolean };

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
const searchCondition = async (db: Db, text: string): Promise<Condition> => {
  const folded = foldCase(text);
  const common = { where: contains('search_key', text), matchesFew: false };
  if (isPostgres(db) || !TRIGRAM.test(folded)) return common;
  const phrase = `"${folded.replaceAll('"', '""')}"`;
  const matches = sql`select rowid from device_search where device_search match ${phrase}`;
  if (!(await areFew(db, matches))) return common;
  return { where: sql<boolean>`device.seq in (${matches})`, matchesFew: true };
};

const typeCondition = async (db: Db, types: string[]): Promise<Condition> => {
  const { eb } = expressionBuilder<Schema, 'device'>();
  const counted = await db
    .selectFrom('device_facet')
    .select((is) => is.fn.sum<number | null>('total').as('devices'))
    .where('name', '=', 'type')
    .where('value', 'in', types)
    .executeTakeFirst();
  return {
    where: eb('device.type', 'in', types),
    // Devices without a type are not stored as a count.
    matchesFew: !types.includes('') && Number(counted?.devices ?? 0) <= FEW,
  };
};

/** The condition that a device has a tag. */
const tagCondition = async (db: Db, tag: string): Promise<Condition> => {
  const { key, value = '' } = parseTag(tag);
  const matches = sql`select device_id from device_tag where key = ${key} and value = ${value}`;
  const matchesFew = !isPostgres(db) && (await areFew(db, matches));
  return isPostgres(db) || matchesFew
    ? { where: sql<boolean>`device.id in (${matches})`, matchesFew }
    : { where: sql<boolean>`exists (${matches} and device_id = device.id)`, matchesFew };
};

/** The condition that a device was last seen before a time. Devices that were never seen do not match. */
const silentCondition = async (db: Db, beforeMs: number): Promise<Condition> => {
  const isSilent = (table: string) =>
    sql<boolean>`${sql.ref(`${table}.last_seen_at`)} > 0 and ${sql.ref(`${table}.last_seen_at`)} < ${beforeMs}`;
  const matches = sql`select silent.id from device as silent where ${isSilent('silent')} and silent.deleted_at is null`;
  if (isPostgres(db) || !(await areFew(db, matches))) return { where: isSilent('device'), matchesFew: false };
  return { where: sql<boolean>`device.id in (${matches})`, matchesFew: true };
};

const isWithoutTag = (key: string) =>
  sql<boolean>`not exists (select 1 from device_tag where device_id = device.id and key = ${key})`;

/** The number of devices without a tag, from the stored counts. */
export const countWithoutTag = async (db: Db, key: string): Promise<number> => {
  const { rows } = await sql<{ devices: number }>`select
    coalesce((select sum(count) from device_count), 0) -
    coalesce((select total from device_facet where name = 'tag' and value = ${key}), 0) as devices`.execute(
    db,
  );
  return Number(rows[0]?.devices ?? 0);
};

/**
 * The condition that a device does not have a tag. No index lists these devices. If they are few, reading the list in
 * order would read nearly all devices at once: their IDs are collected before, with other work in between.
 */
const withoutTagCondition = async (db: Db, key: string): Promise<Condition> => {
  const where = isWithoutTag(key);
  if (isPostgres(db)) return { where, matchesFew: false };
  const devices = await countWithoutTag(db, key);
  if (devices > FEW) return { where, matchesFew: false };
  const found: string[] = [];
  if (devices > 0)
    for await (const window of deviceWindows(db)) {
      const rows = db
        .selectFrom(window)
        .select('device.id')
        .where('device.deleted_at', 'is', null)
        .where(where);
      found.push(...(await rows.execute()).map(({ id }) => id));
      if (found.length >= devices) break;
    }
  const ids = sql`select value from json_each(${JSON.stringify(found)})`;
  return { where: sql<boolean>`(device.id in (${ids}) and ${where})`, matchesFew: true };
};

/** Reads counts to choose the form of each condition. */
export const filterConditions = async (
  db: Db,
  { q, state, type, tag = [], silentFor, withoutTag = [] }: DeviceFilter,
  { only, nowMs }: Reader,
): Promise<Conditions> => {
  const { eb } = expressionBuilder<Schema, 'device'>();
  const conditions: Condition[] = [{ where: eb('device.deleted_at', 'is', null), matchesFew: false }];
  if (only !== null)
    conditions.push({ where: eb('device.id', 'in', only.length === 0 ? [''] : only), matchesFew: true });
  if (q) conditions.push(await searchCondition(db, q));
  if (state) conditions.push({ where: eb('device.state', 'in', state), matchesFew: false });
  if (type) conditions.push(await typeCondition(db, type));
  if (silentFor !== undefined) conditions.push(await silentCondition(db, nowMs - silentFor * 1_000));
  for (const one of tag) conditions.push(await tagCondition(db, one));
  for (const key of withoutTag) conditions.push(await withoutTagCondition(db, key));
  return {
    where: conditions.map(({ where }) => where),
    matchesFew: conditions.some(({ matchesFew }) => matchesFew),
  };
};
