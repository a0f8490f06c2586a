import { join } from 'node:path';
import { inWrite, openDatabase } from '#service/platform/storage/database.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { foldCase } from '#contract/text.ts';

const TYPES = ['pump', 'fan', 'boiler', 'meter'];
const PER_TRANSACTION = 10_000;
/** SQLite takes at most 32,766 parameters in a statement. */
const TAGS_PER_INSERT = 5_000;

/**
 * Registers the devices from one number to another in the database of a stopped service, without events: a million
 * through the API would take a quarter of an hour.
 */
export const fillDevices = async (dataDir: string, from: number, to: number): Promise<void> => {
  const db = await openDatabase(sqliteDialect(join(dataDir, 'penstock.db')));
  try {
    for (let start = from; start < to; start += PER_TRANSACTION)
      await inWrite(db, async (tx) => {
        const rows = Array.from({ length: Math.min(PER_TRANSACTION, to - start) }, (_, index) => {
          const number = start + index;
          const device = {
            name: `Device ${number}`,
            type: TYPES[number % TYPES.length] ?? '',
            tags: { site: `site-${number % 50}` },
            expectedInterval: 60,
          };
          return newDeviceRow(device, `device-${number}`, Date.now());
        });
        await insertDevices(tx, rows);
        const tags = rows.map(({ id }, index) => {
          const value = `site-${(start + index) % 50}`;
          return { device_id: id, key: 'site', value, value_key: foldCase(value) };
        });
        for (let first = 0; first < tags.length; first += TAGS_PER_INSERT)
          await tx
            .insertInto('device_tag')
            .values(tags.slice(first, first + TAGS_PER_INSERT))
            .execute();
      });
  } finally {
    await db.destroy();
  }
};
