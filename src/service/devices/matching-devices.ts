import type { Db } from '../platform/storage/database.ts';
import { filterConditions, type DeviceFilter, type Reader } from './device-search.ts';
import { deviceWindows } from './device-windows.ts';

const COLUMNS = ['device.id', 'device.external_id', 'device.state', 'device.type', 'device.tags'] as const;

/** All devices that match a filter, in lists. Other work runs between two lists, however many devices there are. */
export async function* matchingDevices(db: Db, filter: DeviceFilter, reader: Reader) {
  const { where, matchesFew } = await filterConditions(db, filter, reader);
  if (matchesFew) {
    const matches = db.selectFrom('device').select(COLUMNS);
    yield await matches.where((is) => is.and(where)).execute();
    return;
  }
  for await (const window of deviceWindows(db)) {
    const matches = db.selectFrom(window).select(COLUMNS);
    yield await matches
      .where((is) => is.and(where))
      .orderBy('device.id')
      .execute();
  }
}
