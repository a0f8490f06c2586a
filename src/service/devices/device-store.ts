import type { Insertable, Selectable, Updateable } from 'kysely';
import type { DeviceState } from '#contract/device-filter.ts';
import type { Device, NewDevice, Tags } from '#contract/devices.ts';
import { naturalKey } from '#contract/natural-key.ts';
import type { EventDevice } from '#contract/webhook-events.ts';
import { foldCase } from '#contract/fold-case.ts';
import { notFound } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import { FIELD_COLUMNS, type DeviceTable } from './device-table.ts';
import { newId } from '../platform/storage/new-id.ts';
import { ROWS_PER_INSERT, slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import { placeDevices } from './device-places.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';

export type DeviceRow = Omit<Selectable<DeviceTable>, 'seq'>;

/** The columns that responses contain and lists sort by. */
export const LISTED_COLUMNS = ['device.id', 'device.name_key', ...FIELD_COLUMNS] as const;

type ColumnName<C> = C extends `device.${infer Name extends keyof DeviceRow}` ? Name : never;
export type ListedDevice = Pick<DeviceRow, ColumnName<(typeof LISTED_COLUMNS)[number]>>;

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

/** What deliveries of events say about devices, by ID. Includes deleted devices. */
export const findEventDevices = async (db: Db, ids: readonly string[]): Promise<Map<string, EventDevice>> => {
  const found = new Map<string, EventDevice>();
  for (const some of slicesOf(ids, VALUES_PER_QUERY)) {
    const rows = await db
      .selectFrom('device')
      .select(['id', 'external_id', 'type', 'tags', 'last_seen_at'])
      .where('id', 'in', some)
      .execute();
    for (const row of rows)
      found.set(row.id, {
        externalId: row.external_id,
        type: row.type,
        tags: JSON.parse(row.tags) as Tags,
        lastSeenAt: toIsoTimeOrNull(row.last_seen_at),
      });
  }
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
  // A trigger removes the place of a device whose name or external ID changes.
  if (change.name_key !== undefined || change.search_key !== undefined || change.deleted_at === null)
    await placeDevices(db, [id]);
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
