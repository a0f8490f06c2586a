import { expressionBuilder, sql, type Expression, type RawBuilder, type SqlBool } from 'kysely';
import { deviceStates, type DeviceFilter, type DeviceState } from '#contract/device-filter.ts';
import { parseTag } from '#contract/tag.ts';
import type { Db, Schema } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { contains, readSearch } from '../platform/http/search.ts';
import { findFewMatches, indexedWords, toMatchExpression } from './device-search.ts';
import { FIELD_COLUMNS } from './device-table.ts';
import { deviceWindows } from './device-windows.ts';

/** Devices that a token can read: all (`only` null), or those with these IDs. `nowMs`: for filters by age. */
export type Reader = { only: readonly string[] | null; nowMs: number };

export type Tag = { key: string; value: string };

/**
 * `matchesFew`: an index finds the matching devices, and there are few of them. `count`: reads their number, if it is
 * stored. `tag`: the tag that they have.
 */
type Condition = { where: Expression<SqlBool>; matchesFew: boolean; count?: Count; tag?: Tag };
type Count = () => Promise<number>;

/** The conditions of a filter, to add to a query of `device`. */
type Conditions = {
  where: Expression<SqlBool>[];
  /** One of the conditions matches few devices. */
  matchesFew: boolean;
  /** Reads the number of devices that match all conditions, if it is stored. */
  count: Count | undefined;
  /**
   * A tag whose devices an index finds in the order of names, and the conditions apart from it, if none of them is known to
   * match fewer devices.
   */
  inOrderOfTag: { tag: Tag; where: Expression<SqlBool>[] } | undefined;
};

/**
 * Up to this number of matches are looked up one by one and sorted. More matches are so common that reading the list in
 * order soon finds a page of them.
 */
const FEW = 1_000;

/**
 * The limit for searches. No index lists their matches by name. If these are spread evenly, the list has 50 of them after
 * 50 × `devices` / matches rows, each of which takes a fifteenth of a lookup.
 */
const fewMatches = (devices: number): number => Math.max(FEW, Math.ceil(2 * Math.sqrt(devices)));

const areFew = async (db: Db, matches: RawBuilder<unknown>): Promise<boolean> => {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from (${matches} limit ${FEW + 1}) as matches`.execute(db);
  return (rows[0]?.found ?? 0) <= FEW;
};

/** The number of devices in any of these states. */
const countInStates = async (db: Db, states: readonly string[]): Promise<number> => {
  const counted = await db
    .selectFrom('device_count')
    .select((is) => is.fn.sum<number | null>('count').as('devices'))
    .where('state', 'in', states)
    .executeTakeFirst();
  return Number(counted?.devices ?? 0);
};

/**
 * The condition that the name or external ID of a device contains each word of a search. The planner of PostgreSQL
 * chooses the index itself; in SQLite the form of the condition decides.
 */
const searchCondition = async (db: Db, text: string): Promise<Condition> => {
  const common = { where: contains('search_key', text), matchesFew: false };
  const words = readSearch(text);
  const indexed = indexedWords(db, words);
  if (indexed.length === 0) return common;
  const devices = await countInStates(db, deviceStates);
  const few = await findFewMatches(db, toMatchExpression(indexed), fewMatches(devices));
  if (few === undefined) return common;
  const areFew = sql<boolean>`device.seq in (select value from json_each(${few.seqs}))`;
  if (indexed.length < words.length)
    return { where: sql<boolean>`(${areFew} and ${common.where})`, matchesFew: true };
  return { where: areFew, matchesFew: true, count: async () => few.found };
};

const stateCondition = (db: Db, states: DeviceState[]): Condition => {
  const { eb } = expressionBuilder<Schema, 'device'>();
  return {
    where: eb('device.state', 'in', states),
    matchesFew: false,
    count: () => countInStates(db, states),
  };
};

/** The number of devices with any of these values of a property: see `device_facet`. */
const countStored = async (db: Db, name: string, values: string[]): Promise<number> => {
  const counted = await db
    .selectFrom('device_facet')
    .select((is) => is.fn.sum<number | null>('total').as('devices'))
    .where('name', '=', name)
    .where('value', 'in', values)
    .executeTakeFirst();
  return Number(counted?.devices ?? 0);
};

const typeCondition = async (db: Db, types: string[]): Promise<Condition> => {
  const { eb } = expressionBuilder<Schema, 'device'>();
  const where = eb('device.type', 'in', types);
  // Devices without a type are not stored as a count.
  if (types.includes('')) return { where, matchesFew: false };
  const devices = await countStored(db, 'type', types);
  return { where, matchesFew: devices <= FEW, count: async () => devices };
};

/** The key and the value of a tag in a filter. */
export const tagOf = (text: string): Tag => {
  const { key, value = '' } = parseTag(text);
  return { key, value };
};

export const countWithTag = (db: Db, { key, value }: Tag): Promise<number> =>
  countStored(db, `tag:${key}`, [value]);

/** The condition that a device has a tag. */
const tagCondition = async (db: Db, tag: Tag): Promise<Condition> => {
  const { key, value } = tag;
  const matches = sql`select device_id from device_tag where key = ${key} and value = ${value}`;
  const devices = await countWithTag(db, tag);
  const matchesFew = devices <= FEW;
  const where =
    isPostgres(db) || matchesFew
      ? sql<boolean>`device.id in (${matches})`
      : sql<boolean>`exists (${matches} and device_id = device.id)`;
  return { where, matchesFew, count: async () => devices, tag };
};

/** The columns that only filters read, apart from `name_key`. */
const FILTER_COLUMNS = ['device.seq', 'device.search_key', 'device.deleted_at'] as const;

/** The devices with a tag, as a table to select from. Its ID and `name_key` are those of the index, in their order. */
export const devicesWithTag = (db: Db, { key, value }: Tag) =>
  db
    .selectFrom('device_tag')
    .innerJoin('device', 'device.seq', 'device_tag.device_seq')
    .select(['device_tag.device_id as id', 'device_tag.name_key', ...FIELD_COLUMNS, ...FILTER_COLUMNS])
    .where('device_tag.key', '=', key)
    .where('device_tag.value', '=', value)
    .as('device');

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
const countWithoutTag = async (db: Db, key: string): Promise<number> => {
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
  const count = () => countWithoutTag(db, key);
  if (isPostgres(db)) return { where, matchesFew: false, count };
  const devices = await count();
  if (devices > FEW) return { where, matchesFew: false, count };
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
  return { where: sql<boolean>`(device.id in (${ids}) and ${where})`, matchesFew: true, count };
};

const soleCountOf = ([condition, ...others]: readonly Condition[]): Count | undefined =>
  others.length === 0 ? condition?.count : undefined;

export const notDeleted = (): Expression<SqlBool> =>
  expressionBuilder<Schema, 'device'>().eb('device.deleted_at', 'is', null);

const chooseTagInOrder = async (conditions: readonly Condition[]): Promise<Conditions['inOrderOfTag']> => {
  if (conditions.every(({ tag }) => tag === undefined)) return undefined;
  let rarest: { condition?: Condition; devices: number } = { devices: Infinity };
  for (const condition of conditions) {
    const devices = (await condition.count?.()) ?? Infinity;
    if (devices < rarest.devices) rarest = { condition, devices };
  }
  const tag = rarest.condition?.tag;
  const others = conditions.filter((condition) => condition !== rarest.condition);
  if (tag === undefined || others.some(({ matchesFew }) => matchesFew)) return undefined;
  return { tag, where: [notDeleted(), ...others.map(({ where }) => where)] };
};

/** Reads counts to choose the form of each condition. */
export const filterConditions = async (
  db: Db,
  { q, state, type, tag = [], silentFor, withoutTag = [] }: DeviceFilter,
  { only, nowMs }: Reader,
): Promise<Conditions> => {
  const { eb } = expressionBuilder<Schema, 'device'>();
  const conditions: Condition[] = [];
  if (only !== null)
    conditions.push({ where: eb('device.id', 'in', only.length === 0 ? [''] : only), matchesFew: true });
  if (q) conditions.push(await searchCondition(db, q));
  if (state) conditions.push(stateCondition(db, state));
  if (type) conditions.push(await typeCondition(db, type));
  if (silentFor !== undefined) conditions.push(await silentCondition(db, nowMs - silentFor * 1_000));
  for (const one of tag) conditions.push(await tagCondition(db, tagOf(one)));
  for (const key of withoutTag) conditions.push(await withoutTagCondition(db, key));
  return {
    where: [notDeleted(), ...conditions.map(({ where }) => where)],
    matchesFew: conditions.some(({ matchesFew }) => matchesFew),
    count: conditions.length === 0 ? () => countInStates(db, deviceStates) : soleCountOf(conditions),
    inOrderOfTag: await chooseTagInOrder(conditions),
  };
};
