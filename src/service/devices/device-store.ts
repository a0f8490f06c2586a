import type { Expression, Insertable, Selectable, SqlBool, Updateable } from 'kysely';
import type { DeviceState } from '#contract/device-filter.ts';
import type { Device, deviceListQuery, NewDevice, Tags } from '#contract/devices.ts';
import { naturalKey } from '#contract/natural-key.ts';
import { foldCase } from '#contract/fold-case.ts';
import type * as z from 'zod';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import { notFound } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { deviceWindows } from './device-windows.ts';
import { FIELD_COLUMNS, type DeviceTable } from './device-table.ts';
import { pageBy, positionOf, type Ordering } from '../platform/storage/keyset.ts';
import { newId } from '../platform/storage/new-id.ts';
import { ROWS_PER_INSERT, slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import { devicesWithTag, filterConditions, notDeleted, type Reader } from './device-conditions.ts';
import { placeDevices } from './device-places.ts';
import { countMatches, isNextMatch, phraseOf } from './device-search.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';

export type DeviceRow = Omit<Selectable<DeviceTable>, 'seq'>;

/** The columns that responses contain and lists sort by. */
const LISTED = ['device.id', 'device.name_key', ...FIELD_COLUMNS] as const;

type ColumnName<C> = C extends `device.${infer Name extends keyof DeviceRow}` ? Name : never;
type ListedDevice = Pick<DeviceRow, ColumnName<(typeof LISTED)[number]>>;

export const deviceOf = (row: ListedDevice): Device => ({
  id: row.id,
  externalId: row.external_id,
  name: row.name,
  type: row.type,
  description: row.description,
  notes: row.notes,
  tags: JSON.parse(row.tags) as Tags,
  expectedInterval: row.expected_interval,
  learnedInterval: row.learned_interval,
  state: row.state as DeviceState,
  lastSeenAt: toIsoTimeOrNull(row.last_seen_at),
  createdAt: toIsoTime(row.created_at),
  updatedAt: toIsoTime(row.updated_at),
});

/** The columns derived from the name and external ID of a device. */
export const namesOf = (name: string, externalId: string) => ({
  name,
  external_id: externalId,
  name_key: naturalKey(name),
  search_key: `${foldCase(name)}\n${foldCase(externalId)}`,
});

/** The columns derived from the type of a device. */
export const typeOf = (type: string) => ({ type, type_key: foldCase(type) });

/** A device that has not been seen. */
export const newDeviceRow = (device: NewDevice, externalId: string, nowMs: number): DeviceRow => ({
  id: newId('dev'),
  ...namesOf(device.name, externalId),
  ...typeOf(device.type ?? ''),
  description: device.description ?? '',
  notes: device.notes ?? '',
  tags: JSON.stringify(device.tags ?? {}),
  expected_interval: device.expectedInterval ?? null,
  learned_interval: null,
  state: 'never-seen',
  last_seen_at: 0,
  late_at: null,
  offline_at: null,
  created_at: nowMs,
  updated_at: nowMs,
  deleted_at: null,
  revision: 1,
});

const ordering: Ordering<'device'> = {
  columns: {
    name: { text: 'device.name_key' },
    externalId: { text: 'device.external_id' },
    type: { text: 'device.type' },
    state: { text: 'device.state' },
    lastSeenAt: { integer: 'device.last_seen_at' },
    createdAt: { integer: 'device.created_at' },
    id: { text: 'device.id' },
  },
  fallback: 'name',
  id: 'device.id',
};

type Filter = Omit<z.output<typeof deviceListQuery>, 'sort'> & { sort?: string | undefined };

const isByName = ({ sort = ordering.fallback }: Filter): boolean => sort === 'name' || sort === '-name';

/** Counts by reading all devices, with other work in between. Stops once nobody waits for the count. */
const countInWindows = async (
  db: Db,
  where: readonly Expression<SqlBool>[],
  isAwaited: IsAwaited,
): Promise<number> => {
  let total = 0;
  for await (const window of deviceWindows(db)) {
    requireAwaited(isAwaited);
    const counted = await db
      .selectFrom(window)
      .select((is) => is.fn.countAll<number>().as('devices'))
      .where((is) => is.and(where))
      .executeTakeFirst();
    total += Number(counted?.devices ?? 0);
  }
  return total;
};

/** The parts of a list's query that do not select devices, and the text to search for. */
const NOT_FILTERS: ReadonlySet<string> = new Set(['q', 'sort', 'cursor', 'limit', 'total']);

/** The text to search for, if the index of SQLite finds the devices of a list in its order. */
const phraseOfList = (db: Db, query: Filter, { only }: Reader): string | undefined => {
  const { q } = query;
  const isFiltered =
    only !== null ||
    Object.entries(query).some(([name, value]) => value !== undefined && !NOT_FILTERS.has(name));
  return q && !isFiltered && isByName(query) ? phraseOf(db, q) : undefined;
};

/** A page of devices that match a text, in the order of names. */
const listMatches = (db: Db, phrase: string, query: Filter, isAwaited: IsAwaited) => {
  const page = {
    after: positionOf(ordering, query),
    isDescending: query.sort === '-name',
    limit: query.limit + 1,
  };
  const matching = db
    .selectFrom('device')
    .select(LISTED)
    .where((is) => is.and([notDeleted(), isNextMatch(phrase, page)]));
  return pageBy(matching, ordering, query, () => countMatches(db, phrase, { isAwaited }));
};

/** A page of devices. `isAwaited`: whether the count of `total=true` is still needed. */
export const listDevices = async (
  db: Db,
  query: Filter,
  { isAwaited, ...reader }: Reader & { isAwaited: IsAwaited },
) => {
  const phrase = phraseOfList(db, query, reader);
  if (phrase !== undefined) {
    const { rows, ...page } = await listMatches(db, phrase, query, isAwaited);
    return { data: rows.map(deviceOf), ...page };
  }
  const { where, matchesFew, count: countStored, inOrderOfTag } = await filterConditions(db, query, reader);
  // PostgreSQL counts in a process of its own, and by its index of names.
  const isIndexed = matchesFew || isPostgres(db);
  const count = countStored ?? (isIndexed ? undefined : () => countInWindows(db, where, isAwaited));
  const ofTag = isByName(query) ? inOrderOfTag : undefined;
  const devices =
    ofTag === undefined ? db.selectFrom('device') : db.selectFrom(devicesWithTag(db, ofTag.tag));
  const matching = devices.select(LISTED).where((is) => is.and(ofTag?.where ?? where));
  const { rows, ...page } = await pageBy(matching, ordering, query, count);
  return { data: rows.map(deviceOf), ...page };
};

/** A page of devices, as rows. */
export const deviceRowsOf = async (db: Db, query: Filter, reader: Reader) => {
  const { where, count } = await filterConditions(db, query, reader);
  const devices = db.selectFrom('device').where((is) => is.and(where));
  return pageBy(devices.selectAll('device'), ordering, query, count);
};

export const findDevice = (db: Db, id: string): Promise<DeviceRow | undefined> =>
  db.selectFrom('device').selectAll().where('id', '=', id).where('deleted_at', 'is', null).executeTakeFirst();

export const getDevice = async (db: Db, id: string): Promise<DeviceRow> => {
  const row = await findDevice(db, id);
  if (row === undefined) throw notFound('device');
  return row;
};

/** Finds devices by external ID. Includes deleted devices, whose external IDs stay reserved. */
export const findByExternalIds = async (db: Db, externalIds: readonly string[]): Promise<DeviceRow[]> => {
  const found: DeviceRow[] = [];
  for (const some of slicesOf(externalIds, VALUES_PER_QUERY))
    found.push(...(await db.selectFrom('device').selectAll().where('external_id', 'in', some).execute()));
  return found;
};

export const getByExternalId = async (db: Db, externalId: string): Promise<DeviceRow> => {
  const [row] = await findByExternalIds(db, [externalId]);
  if (row === undefined || row.deleted_at !== null) throw notFound('device');
  return row;
};

/** Finds devices by ID. Includes deleted devices. */
export const findByIds = async (db: Db, ids: readonly string[]): Promise<DeviceRow[]> => {
  const found: DeviceRow[] = [];
  for (const some of slicesOf(ids, VALUES_PER_QUERY))
    found.push(...(await db.selectFrom('device').selectAll().where('id', 'in', some).execute()));
  return found;
};

export const insertDevice = async (db: Db, row: Insertable<DeviceTable>): Promise<void> => {
  await insertDevices(db, [row]);
};

export const insertDevices = async (db: Db, rows: readonly Insertable<DeviceTable>[]): Promise<void> => {
  for (const some of slicesOf(rows, ROWS_PER_INSERT))
    await db
      .insertInto('device')
      .values([...some])
      .execute();
  await placeDevices(
    db,
    rows.map(({ id }) => id),
  );
};

export const updateDevice = async (db: Db, id: string, change: Updateable<DeviceTable>): Promise<void> => {
  await db.updateTable('device').set(change).where('id', '=', id).execute();
  if (change.name_key !== undefined || change.deleted_at === null) await placeDevices(db, [id]);
};

/** `only`: the IDs that the token is limited to; null: all. */
export const countByState = async (
  db: Db,
  only: readonly string[] | null,
): Promise<Record<DeviceState, number>> => {
  const counts = { online: 0, late: 0, offline: 0, 'never-seen': 0 };
  const rows =
    only === null
      ? await db.selectFrom('device_count').select(['state', 'count']).execute()
      : await db
          .selectFrom('device')
          .select(['state', (is) => is.fn.countAll<number>().as('count')])
          .where('deleted_at', 'is', null)
          .where('id', 'in', only)
          .groupBy('state')
          .execute();
  for (const { state, count } of rows) counts[state as DeviceState] = Number(count);
  return counts;
};

/** Lists IDs of devices in order, after a given ID. Includes deleted devices. */
export const listDeviceIds = async (db: Db, after: string, limit: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('device')
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
};

/** Lists devices that were deleted before this time. */
export const listPurgeable = (db: Db, deletedBeforeMs: number): Promise<{ id: string }[]> =>
  db.selectFrom('device').select('id').where('deleted_at', '<', deletedBeforeMs).limit(100).execute();

/** Removes the given devices that are still marked as deleted. */
export const deleteDevices = async (
  db: Db,
  ids: readonly string[],
  deletedBeforeMs: number,
): Promise<void> => {
  await db.deleteFrom('device').where('id', 'in', ids).where('deleted_at', '<', deletedBeforeMs).execute();
};
