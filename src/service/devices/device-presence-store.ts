import { sql } from 'kysely';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import type { DeviceRow } from './device-store.ts';

/** The columns that `updatePresence` sets, and their types in PostgreSQL. */
const PRESENCE_COLUMNS = {
  last_seen_at: 'bigint',
  learned_interval: 'double precision',
  late_at: 'bigint',
  offline_at: 'bigint',
} as const;
const STATE_COLUMN = { state: 'text' } as const;

type Id = { readonly id: string };
export type DevicePresence = Id & Pick<DeviceRow, keyof typeof PRESENCE_COLUMNS>;
export type DeviceStateChange = Id & Pick<DeviceRow, 'state'>;

/** Updates columns of many devices in one statement. */
const updateColumns = async <Column extends string>(
  db: Db,
  columns: Readonly<Record<Column, string>>,
  devices: readonly (Id & Readonly<Record<Column, string | number | null>>)[],
): Promise<void> => {
  if (devices.length === 0) return;
  const names = Object.keys(columns) as Column[];
  const rows = JSON.stringify(devices.map((device) => [device.id, ...names.map((name) => device[name])]));
  const set = names.map((name, i) => {
    const value = `v.value ->> ${i + 1}`;
    return `${name} = ${isPostgres(db) ? `(${value})::${columns[name]}` : value}`;
  });
  const given = isPostgres(db)
    ? sql`jsonb_array_elements(${rows}::jsonb) as v(value)`
    : sql`json_each(${rows}) as v`;
  await sql`update device set ${sql.raw(set.join(', '))} from ${given} where device.id = v.value ->> 0`.execute(
    db,
  );
};

/** What the presence of a device is computed from, by ID. Includes deleted devices. */
export const findPresence = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('device')
    .select(['id', 'name', 'state', 'last_seen_at', 'expected_interval', 'learned_interval', 'deleted_at'])
    .where('id', 'in', ids)
    .execute();

export const updatePresence = (db: Db, devices: readonly DevicePresence[]): Promise<void> =>
  updateColumns(db, PRESENCE_COLUMNS, devices);

/** Apart from `updatePresence`: SQLite rewrites the indexes of each column that a statement names. */
export const updateStates = (db: Db, devices: readonly DeviceStateChange[]): Promise<void> =>
  updateColumns(db, STATE_COLUMN, devices);

/** `dueAt`: the column with the time of the transition. */
export type DueTransition =
  | { readonly from: 'online'; readonly dueAt: 'late_at'; readonly to: 'late' }
  | { readonly from: 'late'; readonly dueAt: 'offline_at'; readonly to: 'offline' };

/** Devices whose transition is due. Includes deleted devices. */
export const findDue = (db: Db, { from, dueAt }: DueTransition, nowMs: number, limit: number) =>
  db
    .selectFrom('device')
    .selectAll()
    .where('state', '=', from)
    .where(dueAt, '<=', nowMs)
    .limit(limit)
    .execute();

/**
 * Updates the states of devices that are still due: a message may have arrived, or an interval changed, since `findDue`.
 * Returns the IDs of the updated devices.
 */
export const updateDueStates = async (
  db: Db,
  { from, dueAt, to }: DueTransition,
  nowMs: number,
  ids: readonly string[],
): Promise<string[]> => {
  const updated = await db
    .updateTable('device')
    .set({ state: to })
    .where('id', 'in', ids)
    .where('state', '=', from)
    .where(dueAt, '<=', nowMs)
    .returning('id')
    .execute();
  return updated.map(({ id }) => id);
};
