import { sql } from 'kysely';
import type { Tags } from '#contract/devices.ts';
import { parseTag } from '#contract/tag.ts';
import { foldCase } from '#contract/fold-case.ts';
import type { Db } from '../platform/storage/database.ts';
import { slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import type { DeviceRow } from './device-store.ts';

/** The rows that tag filters read. The device must be stored. */
export const tagRowsOf = ({ id, name_key }: Pick<DeviceRow, 'id' | 'name_key'>, tags: Tags) =>
  Object.entries(tags).map(([key, value]) => ({
    device_id: id,
    key,
    value,
    value_key: foldCase(value),
    name_key,
    device_seq: sql<number>`(select seq from device where id = ${id})`,
  }));

/** Replaces the rows that tag filters read by the tags of the device. Also required after a change of its name. */
export const replaceTags = async (db: Db, device: DeviceRow, tags: Tags): Promise<void> => {
  await db.deleteFrom('device_tag').where('device_id', '=', device.id).execute();
  const rows = tagRowsOf(device, tags);
  if (rows.length > 0) await db.insertInto('device_tag').values(rows).execute();
};

/** The devices of a list that have a tag: `key` or `key:value`. */
export const findTagged = async (db: Db, ids: readonly string[], tag: string): Promise<Set<string>> => {
  const { key, value } = parseTag(tag);
  const tagged = new Set<string>();
  for (const some of slicesOf(ids, VALUES_PER_QUERY)) {
    let rows = db.selectFrom('device_tag').select('device_id').where('key', '=', key);
    if (value !== undefined) rows = rows.where('value', '=', value);
    for (const row of await rows.where('device_id', 'in', some).execute()) tagged.add(row.device_id);
  }
  return tagged;
};
