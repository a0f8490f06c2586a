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

/** Changes the rows that filters read: those of changed tags, or all after a change of the name, which orders them. */
export const changeTags = async (db: Db, old: Tagged, device: Tagged): Promise<void> => {
  const isRenamed = old.name_key !== device.name_key;
  const [before, after] = [JSON.parse(old.tags) as Tags, JSON.parse(device.tags) as Tags];
  const differs = (key: string): boolean => isRenamed || before[key] !== after[key];
  const removed = Object.keys(before).filter(differs);
  const added = Object.entries(after).filter(([key]) => differs(key));
  if (removed.length > 0)
    await db
      .deleteFrom('device_tag')
      .where('device_id', '=', device.id)
      .where('key', 'in', removed)
      .execute();
  await insertTags(db, [{ ...device, tags: JSON.stringify(Object.fromEntries(added)) }]);
};
