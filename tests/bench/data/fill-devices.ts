import { join } from 'node:path';
import { inWrite, openDatabase } from '#service/platform/storage/database.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { insertDevices, newDeviceRow } from '#service/devices/device-store.ts';
import { insertTags } from '#service/devices/device-tags.ts';

const TYPES = ['pump', 'fan', 'boiler', 'meter'];
const PER_TRANSACTION = 10_000;
/** A prime, so that the order of names is neither that of the numbers nor that of the IDs. */
const NAMES = 1_000_003;

export const SITES = 50;
export const GATEWAYS = 10_000;

const nameOf = (number: number): string => `Device ${(number * 7_919) % NAMES}`;

/** The name that comes first in the list of the first `size` devices that match a search for digits. */
export const firstNameWith = (size: number, digits: string): string => {
  const found = Array.from({ length: size }, (_, number) => number).filter(
    (number) => `${number}`.includes(digits) || nameOf(number).includes(digits),
  );
  const ranks = found.map((number) => Number(nameOf(number).replace('Device ', '')));
  return `Device ${ranks.reduce((least, rank) => Math.min(least, rank), Infinity)}`;
};

/** `site`: 2 % of the devices have the same value. `gateway`: 0.01 %. `serial`: one. */
const tagsOf = (number: number) => ({
  site: `site-${number % SITES}`,
  gateway: `gateway-${number % GATEWAYS}`,
  serial: `SN-${number}`,
});

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
            name: nameOf(number),
            type: TYPES[number % TYPES.length] ?? '',
            tags: tagsOf(number),
            expectedInterval: 60,
          };
          return newDeviceRow(device, `device-${number}`, Date.now());
        });
        await insertDevices(tx, rows);
        await insertTags(tx, rows);
      });
  } finally {
    await db.destroy();
  }
};
