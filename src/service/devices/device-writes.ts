import { RESTORE_MS } from '#contract/device-restoration.ts';
import type { Device, DeviceChange, DeviceUpsert, NewDevice } from '#contract/devices.ts';
import { slugOf } from '#contract/slug-of.ts';
import { partyOf, type NewEvent, type RecordEvents } from '../events/event-store.ts';
import type { Actor } from '../platform/http/auth.ts';
import { invalidField, notFound, HttpProblem } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import { deviceStateChanged, presenceOf } from './device-state.ts';
import {
  deviceOf,
  findByExternalIds,
  insertDevice,
  namesOf,
  newDeviceRow,
  typeOf,
  updateDevice,
  type DeviceRow,
} from './device-store.ts';
import { changeTags, insertTags } from './device-tags.ts';

const MAX_TAGS = 50;

/** One action of an actor, in the transaction of its effect. */
export type Act = { tx: Db; recordEvents: RecordEvents; actor: Actor; nowMs: number };

const eventOf = ({ actor, nowMs }: Act, type: NewEvent['type'], row: DeviceRow, data = {}): NewEvent => ({
  type,
  subject: { type: 'device', id: row.id, name: row.name },
  actor: partyOf(actor),
  data,
  at: nowMs,
});

const taken = (externalId: string, { id, name, deleted_at }: DeviceRow): HttpProblem => {
  const field = { pointer: '/externalId', code: 'taken' };
  return deleted_at === null
    ? new HttpProblem(
        'conflict',
        `The device “${name}” has the external ID ${externalId}. Choose another external ID.`,
        { errors: [{ ...field, detail: `Already used by the device “${name}”.`, deviceId: id }] },
      )
    : new HttpProblem(
        'conflict',
        `The deleted device “${name}” reserves the external ID ${externalId} for 24 hours. Restore that device, or choose another external ID.`,
        { errors: [{ ...field, detail: `Reserved for 24 hours by the deleted device “${name}”.` }] },
      );
};

const requireFree = async (db: Db, externalId: string): Promise<void> => {
  const [holder] = await findByExternalIds(db, [externalId]);
  if (holder !== undefined) throw taken(externalId, holder);
};

/**
 * An unused external ID derived from a name, with `-2`, `-3`, … if necessary. Thousands of devices may have the name, so
 * the numbers are searched by halves: a gap between used ones may be missed.
 */
const freeSlug = async (db: Db, name: string): Promise<string> => {
  const slug = slugOf(name) || 'device';
  const candidate = (number: number): string => (number === 1 ? slug : `${slug}-${number}`);
  const isFree = async (number: number): Promise<boolean> =>
    (await findByExternalIds(db, [candidate(number)])).length === 0;
  let [used, free] = [0, 1];
  while (!(await isFree(free))) [used, free] = [free, 2 * free];
  while (free - used > 1) {
    const middle = Math.floor((used + free) / 2);
    if (await isFree(middle)) free = middle;
    else used = middle;
  }
  return candidate(free);
};

export const registerDevice = async (act: Act, device: NewDevice): Promise<DeviceRow> => {
  const { tx, recordEvents, nowMs } = act;
  if (device.externalId !== undefined) await requireFree(tx, device.externalId);
  const row = newDeviceRow(device, device.externalId ?? (await freeSlug(tx, device.name)), nowMs);
  await insertDevice(tx, row);
  await insertTags(tx, [row]);
  await recordEvents(eventOf(act, 'device.registered', row));
  return row;
};

const mergedTags = (old: DeviceRow, change: DeviceChange['tags']): Device['tags'] => {
  const tags: Device['tags'] = {};
  for (const [key, value] of Object.entries({ ...deviceOf(old).tags, ...change }))
    if (value !== null) tags[key] = value;
  if (Object.keys(tags).length > MAX_TAGS)
    throw invalidField('/tags', 'too-big', `A device can have at most ${MAX_TAGS} tags. Remove some first.`);
  return tags;
};

/** The fields of a change that differ from the device. */
const fieldsToChange = (old: DeviceRow, change: DeviceChange, tags: Device['tags']): string[] => {
  const values: Record<string, unknown> = { ...deviceOf(old), tags: old.tags };
  return Object.entries({ ...change, ...(change.tags !== undefined && { tags: JSON.stringify(tags) }) })
    .filter(([field, value]) => value !== undefined && value !== values[field])
    .map(([field]) => field);
};

/** Only these: the database maintains counts and indexes for each column that is set. */
const changedColumns = (old: DeviceRow, row: DeviceRow): Partial<DeviceRow> =>
  Object.fromEntries(
    Object.entries(row).filter(([column, value]) => value !== old[column as keyof DeviceRow]),
  );

/**
 * Merges a change into a device (RFC 7396). Omitted fields keep their values. Does nothing, and returns the same row, if
 * all fields have their values already.
 */
export const changeDevice = async (act: Act, old: DeviceRow, change: DeviceChange): Promise<DeviceRow> => {
  const { tx, recordEvents, nowMs } = act;
  const tags = mergedTags(old, change.tags);
  const fields = fieldsToChange(old, change, tags);
  if (fields.length === 0) return old;
  const externalId = change.externalId ?? old.external_id;
  if (externalId !== old.external_id) await requireFree(tx, externalId);
  const expectedInterval =
    change.expectedInterval === undefined ? old.expected_interval : change.expectedInterval;
  const rhythm = { expectedInterval, learnedInterval: old.learned_interval };
  const { state, lateAt, offlineAt } = presenceOf(old.last_seen_at, rhythm, nowMs);
  const row: DeviceRow = {
    ...old,
    ...namesOf(change.name ?? old.name, externalId),
    ...typeOf(change.type ?? old.type),
    description: change.description ?? old.description,
    notes: change.notes ?? old.notes,
    tags: JSON.stringify(tags),
    expected_interval: expectedInterval,
    state,
    late_at: lateAt,
    offline_at: offlineAt,
    updated_at: nowMs,
    revision: old.revision + 1,
  };
  await updateDevice(tx, row.id, changedColumns(old, row));
  await changeTags(tx, old, row);
  await recordEvents(eventOf(act, 'device.updated', row, { fields }));
  // A new interval can change the state immediately.
  if (state !== old.state) await recordEvents(deviceStateChanged({ ...row, state: old.state }, state, nowMs));
  return row;
};

/** Hides a device. It can be restored for 24 hours. */
export const removeDevice = async (act: Act, row: DeviceRow): Promise<void> => {
  await updateDevice(act.tx, row.id, { deleted_at: act.nowMs, revision: row.revision + 1 });
  await act.recordEvents(eventOf(act, 'device.deleted', row, { externalId: row.external_id }));
};

/** Restores a deleted device. Does nothing, and returns the same row, if the device is not deleted. */
export const restoreDevice = async (act: Act, row: DeviceRow): Promise<DeviceRow> => {
  if (row.deleted_at === null) return row;
  if (row.deleted_at < act.nowMs - RESTORE_MS) throw notFound('device');
  const restored = { ...row, deleted_at: null, revision: row.revision + 1, updated_at: act.nowMs };
  await updateDevice(act.tx, row.id, changedColumns(row, restored));
  await act.recordEvents(eventOf(act, 'device.restored', row));
  return restored;
};

/**
 * Sets the given fields of the device with this external ID. Registers or restores the device if necessary. Returns `holder`
 * if nothing changes.
 */
export const putDevice = async (
  act: Act,
  holder: DeviceRow | undefined,
  externalId: string,
  { tags, ...fields }: DeviceUpsert,
): Promise<DeviceRow> => {
  if (holder === undefined)
    return registerDevice(act, {
      ...fields,
      ...(tags === undefined ? {} : { tags }),
      name: fields.name ?? externalId,
      externalId,
    });
  const row = await restoreDevice(act, holder);
  if (tags === undefined) return changeDevice(act, row, fields);
  const gone = Object.fromEntries(Object.keys(deviceOf(row).tags).map((key) => [key, null]));
  return changeDevice(act, row, { ...fields, tags: { ...gone, ...tags } });
};
