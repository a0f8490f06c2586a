import {
  expressionBuilder,
  sql,
  type Expression,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
} from 'kysely';
import { deviceStates, type DeviceFilter } from '#contract/device-filter.ts';
import { parseTag } from '#contract/tag.ts';
import type { Db, Schema } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { contains, readSearch } from '../platform/http/search.ts';
import { findFewMatches, indexedWords, toMatchExpression } from './device-search.ts';
import { FIELD_COLUMNS } from './device-table.ts';

/** Devices that a token can read: all (`only` null), or those with these IDs. `nowMs`: for filters by age. */
export type Reader = { only: readonly string[] | null; nowMs: number };

export type Tag = { key: string; value: string };

/** Devices that an index has in the order of a list. */
export type OrderedDevices = {
  select: () => SelectQueryBuilder<Schema, 'device', object>;
  /** Selects only the columns of the order, which the index has. */
  selectPositions: () => SelectQueryBuilder<Schema, 'device', object>;
};

type Condition = {
  /** Whether a device matches. In SQLite, it does not find devices: see `unindexed`. */
  where: Expression<SqlBool>;
  /** The same, but an index finds the matching devices; undefined: there may be many. */
  few?: Expression<SqlBool> | undefined;
  /** The number of matching devices, if it is known. */
  count?: number | undefined;
  /** The matching devices in the order of names, if an index has them. */
  byName?: OrderedDevices;
  /** The range of a list sorted by `sort` that consists of the matching devices. */
  range?: { sort: string } & ListRange;
};

/** Which devices a list reads, in its order, and the conditions that it checks for each of them. */
export type ListPlan = {
  devices: OrderedDevices;
  range?: ListRange | undefined;
  where: readonly Expression<SqlBool>[];
  /** The number of all devices that match each condition of `where`, as far as it is known. */
  counts: readonly number[];
};

/** The list contains only sort values from `least` to `greatest`, inclusive. */
export type ListRange = { least: string | number; greatest: string | number };

/** The conditions of a filter, to add to a query of `device`. */
type Conditions = {
  where: Expression<SqlBool>[];
  /** One of the conditions finds devices by an index, and there are few of them. */
  matchesFew: boolean;
  /** The number of devices that match all conditions, if it is stored. */
  countAll: () => Promise<number | undefined>;
  /** The plan of a list that is sorted by `sort`; undefined: look up the few devices and sort them. */
  planList: (sort: string) => ListPlan | undefined;
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

/**
 * Keeps SQLite from using an index for a column. It has no statistics, so its planner would take the index of any condition, and
 * read a million devices in one state to find those of a rare type. PostgreSQL chooses itself.
 */
const unindexed = (db: Db, column: string) => (isPostgres(db) ? sql.ref(column) : sql`+${sql.ref(column)}`);

const isOneOf = (column: RawBuilder<unknown>, values: readonly string[]) =>
  sql<boolean>`${column} in (${sql.join(values)})`;

export const notDeleted = (): Expression<SqlBool> =>
  expressionBuilder<Schema, 'device'>().eb('device.deleted_at', 'is', null);

/** The devices that are not deleted and match a condition, in the order of each index that contains its column. */
const devicesWhere = (db: Db, condition?: Expression<SqlBool>): OrderedDevices => {
  const select = () => {
    const all = db.selectFrom('device').where(notDeleted());
    return condition === undefined ? all : all.where(condition);
  };
  return { select, selectPositions: select };
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

export const countDevices = (db: Db): Promise<number> => countInStates(db, deviceStates);

/** The condition that the name or external ID of a device contains each word of a search. */
const searchCondition = async (db: Db, text: string): Promise<Condition> => {
  const where = contains('search_key', text);
  const words = readSearch(text);
  const indexed = indexedWords(db, words);
  if (indexed.length === 0) return { where };
  const devices = await countDevices(db);
  const matches = await findFewMatches(db, toMatchExpression(indexed), fewMatches(devices));
  if (matches === undefined) return { where };
  const few = sql<boolean>`device.seq in (select value from json_each(${matches.seqs}))`;
  if (indexed.length < words.length) return { where, few: sql<boolean>`(${few} and ${where})` };
  return { where, few, count: matches.found };
};

/** The condition that a column, which lists sort by, has one of these values. `count`: how many devices match, if it is stored. */
const valueCondition = (
  db: Db,
  { sort, values, count }: { sort: 'state' | 'type'; values: readonly string[]; count: number | undefined },
): Condition => {
  const column = `device.${sort}`;
  const where = isOneOf(unindexed(db, column), values);
  const indexed = isOneOf(sql.ref(column), values);
  const few = count !== undefined && count <= FEW ? indexed : undefined;
  const [value, ...others] = values;
  if (value === undefined || others.length > 0) return { where, few, count };
  const range = { sort, least: value, greatest: value };
  return { where, few, count, range, byName: devicesWhere(db, indexed) };
};

const stateCondition = async (db: Db, states: readonly string[]): Promise<Condition> =>
  valueCondition(db, { sort: 'state', values: states, count: await countInStates(db, states) });

/** The number of devices with any of these values of a property: see `device_facet`. */
const countStored = async (db: Db, name: string, values: readonly string[]): Promise<number> => {
  const counted = await db
    .selectFrom('device_facet')
    .select((is) => is.fn.sum<number | null>('total').as('devices'))
    .where('name', '=', name)
    .where('value', 'in', values)
    .executeTakeFirst();
  return Number(counted?.devices ?? 0);
};

const typeCondition = async (db: Db, types: readonly string[]): Promise<Condition> => {
  // Devices without a type are not stored as a count.
  const count = types.includes('') ? undefined : await countStored(db, 'type', types);
  return valueCondition(db, { sort: 'type', values: types, count });
};

/** The key and the value of a tag in a filter. */
const tagOf = (text: string): Tag => {
  const { key, value = '' } = parseTag(text);
  return { key, value };
};

const countWithTag = (db: Db, { key, value }: Tag): Promise<number> => countStored(db, `tag:${key}`, [value]);

/** The columns that only filters read, apart from `name_key`. */
const FILTER_COLUMNS = ['device.seq', 'device.search_key', 'device.deleted_at'] as const;

/** The devices with a tag, as a table to select from. Its ID and `name_key` are those of the index, in their order. */
const devicesWithTag = (db: Db, { key, value }: Tag) =>
  db
    .selectFrom('device_tag')
    .innerJoin('device', 'device.seq', 'device_tag.device_seq')
    .select(['device_tag.device_id as id', 'device_tag.name_key', ...FIELD_COLUMNS, ...FILTER_COLUMNS])
    .where('device_tag.key', '=', key)
    .where('device_tag.value', '=', value)
    .as('device');

const withTag = ({ key, value }: Tag) =>
  sql`select device_id from device_tag where key = ${key} and value = ${value}`;

const hasTag = (tag: Tag) => sql<boolean>`exists (${withTag(tag)} and device_id = device.id)`;

const devicesWithTagByName = (db: Db, tag: Tag): OrderedDevices => ({
  select: () => db.selectFrom(devicesWithTag(db, tag)).where(notDeleted()),
  selectPositions: () => {
    const positions = db
      .selectFrom('device_tag')
      .select(['name_key', 'device_id as id'])
      .where('key', '=', tag.key)
      .where('value', '=', tag.value);
    return db.selectFrom(positions.as('device'));
  },
});

/** The condition that a device has a tag. */
const tagCondition = async (db: Db, tag: Tag): Promise<Condition> => {
  const count = await countWithTag(db, tag);
  const indexed = sql<boolean>`device.id in (${withTag(tag)})`;
  const few = count <= FEW ? indexed : undefined;
  if (isPostgres(db)) return { where: indexed, few, count };
  return { where: hasTag(tag), few, count, byName: devicesWithTagByName(db, tag) };
};

const isSilent = (column: RawBuilder<unknown>, beforeMs: number) =>
  sql<boolean>`(${column} > 0 and ${column} < ${beforeMs})`;

/** The condition that a device was last seen before a time. Devices that were never seen do not match. */
const silentCondition = async (db: Db, beforeMs: number): Promise<Condition> => {
  const where = isSilent(unindexed(db, 'device.last_seen_at'), beforeMs);
  const range = { sort: 'lastSeenAt', least: 1, greatest: beforeMs - 1 };
  if (isPostgres(db)) return { where, range };
  const matches = sql`select silent.id from device as silent
    where ${isSilent(sql.ref('silent.last_seen_at'), beforeMs)} and silent.deleted_at is null`;
  const few = (await areFew(db, matches)) ? sql<boolean>`device.id in (${matches})` : undefined;
  return { where, range, few };
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

/** The condition that a device does not have a tag. No index lists these devices. */
const withoutTagCondition = async (db: Db, key: string): Promise<Condition> => {
  const count = await countWithoutTag(db, key);
  return { where: isWithoutTag(key), count, few: count === 0 ? sql<boolean>`false` : undefined };
};

const countOf = (condition: Condition): number => condition.count ?? Infinity;

/** The condition that the fewest devices match, of those whose count is known, or the first one. */
const rarestOf = (conditions: readonly Condition[]): Condition | undefined =>
  conditions.toSorted((a, b) => (countOf(a) < countOf(b) ? -1 : countOf(a) > countOf(b) ? 1 : 0))[0];

/** The condition by which devices are found: the rarest one that an index has in the order of the list. */
const planList = (db: Db, conditions: readonly Condition[], sort: string): ListPlan => {
  const checksExcept = (left: Condition | undefined) => {
    const checked = conditions.filter((condition) => condition !== left);
    return {
      where: checked.map(({ where }) => where),
      counts: checked.flatMap(({ count }) => count ?? []),
    };
  };
  if (sort === 'name') {
    const rarest = rarestOf(conditions.filter(({ byName }) => byName !== undefined));
    return { devices: rarest?.byName ?? devicesWhere(db), ...checksExcept(rarest) };
  }
  const ranged = conditions.find(({ range }) => range?.sort === sort);
  return { devices: devicesWhere(db), range: ranged?.range, ...checksExcept(ranged) };
};

/** The devices with one tag, one type or in one state, in the order of names. No count is read to choose the index. */
export const findByName = (db: Db, { tag, type, state }: DeviceFilter) => {
  const [text, ...otherTags] = tag ?? [];
  if (text !== undefined && otherTags.length === 0) {
    const sole = tagOf(text);
    return { devices: devicesWithTagByName(db, sole), count: () => countWithTag(db, sole) };
  }
  if (type?.length === 1) {
    const count = type[0] === '' ? async () => undefined : () => countStored(db, 'type', type);
    return { devices: devicesWhere(db, isOneOf(sql.ref('device.type'), type)), count };
  }
  if (state?.length !== 1) return undefined;
  return {
    devices: devicesWhere(db, isOneOf(sql.ref('device.state'), state)),
    count: () => countInStates(db, state),
  };
};

/** The conditions of a filter for devices that are found otherwise. */
export const checksOf = (
  db: Db,
  { q, state, type, tag = [], silentFor, withoutTag = [] }: DeviceFilter,
  nowMs: number,
): Expression<SqlBool>[] => [
  notDeleted(),
  ...(q ? [contains('search_key', q)] : []),
  ...(state ? [isOneOf(unindexed(db, 'device.state'), state)] : []),
  ...(type ? [isOneOf(unindexed(db, 'device.type'), type)] : []),
  ...(silentFor === undefined
    ? []
    : [isSilent(unindexed(db, 'device.last_seen_at'), nowMs - silentFor * 1_000)]),
  ...tag.map((one) => hasTag(tagOf(one))),
  ...withoutTag.map(isWithoutTag),
];

/** Reads counts to choose the form of each condition. */
export const filterConditions = async (
  db: Db,
  { q, state, type, tag = [], silentFor, withoutTag = [] }: DeviceFilter,
  { only, nowMs }: Reader,
): Promise<Conditions> => {
  const conditions: Condition[] = [];
  if (only !== null) {
    const where = isOneOf(sql.ref('device.id'), only.length === 0 ? [''] : only);
    conditions.push({ where, few: where, count: only.length });
  }
  if (q) conditions.push(await searchCondition(db, q));
  if (state) conditions.push(await stateCondition(db, state));
  if (type) conditions.push(await typeCondition(db, type));
  if (silentFor !== undefined) conditions.push(await silentCondition(db, nowMs - silentFor * 1_000));
  for (const one of tag) conditions.push(await tagCondition(db, tagOf(one)));
  for (const key of withoutTag) conditions.push(await withoutTagCondition(db, key));
  const rare = rarestOf(conditions.filter(({ few }) => few !== undefined));
  const others = conditions.filter((condition) => condition !== rare).map(({ where }) => where);
  const [sole, ...further] = conditions;
  const countAll = async () => {
    if (sole === undefined) return countDevices(db);
    // The devices of a token may have been deleted.
    return only !== null || further.length > 0 ? undefined : sole.count;
  };
  return {
    where: [notDeleted(), ...(rare?.few === undefined ? [] : [rare.few]), ...others],
    matchesFew: rare !== undefined,
    countAll,
    planList: (sort) => {
      const isInOrder = sort === 'name' && rare?.byName !== undefined;
      return rare === undefined || isInOrder ? planList(db, conditions, sort) : undefined;
    },
  };
};
