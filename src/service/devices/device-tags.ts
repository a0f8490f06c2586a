import type { Tags } from '#contract/devices.ts';
import { foldCase } from '#contract/fold-case.ts';
import type { Db } from '../platform/storage/database.ts';
import { ROWS_PER_INSERT, slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import type { DeviceRow } from './device-store.ts';

type Tagged = Pick<DeviceRow, 'id' | 'name_key' | 'tags'>;

/** Inserts the rows that tag filters read. The devices must be stored. */
export const insertTags = async (db: Db, devices: readonly Tagged[]): Promise<void> => {
  const tagged = devices.filter(({ tags }) => tags !== '{}');
  for (const slice of slicesOf(tagged, VALUES_PER_QUERY)) {
    const ids = slice.map(({ id }) => id);
    const stored = await db.selectFrom('device').select(['id', 'seq']).where('id', 'in', ids).execute();
    const seqs = new Map(stored.map(({ id, seq }) => [id, seq]));
    const rows = slice.flatMap(({ id, name_key, tags }) => {
      const seq = seqs.get(id);
      if (seq === undefined) throw new Error(`The device ${id} is not stored.`);
      return Object.entries(JSON.parse(tags) as Tags).map(([key, value]) => ({
        device_id: id,
        key,
        value,
        value_key: foldCase(value),
        name_key,
        device_seq: seq,
      }));
    });
    for (const inserted of slicesOf(rows, ROWS_PER_INSERT))
      await db
        .insertInto('device_tag')
        .values([...inserted])
        .execute();
  }
};

/** Replaces the tags that filters read by those of the device. Also required after a change of its name. */
export const replaceTags = async (db: Db, device: Tagged): Promise<void> => {
  await db.deleteFrom('device_tag').where('device_id', '=', device.id).execute();
  await insertTags(db, [device]);
};
