import type { DeviceFilter } from '#contract/device-filter.ts';
import type { Db } from '../platform/storage/database.ts';
import { filterConditions, type Reader } from './device-conditions.ts';
import { deviceWindows } from './device-windows.ts';

const COLUMNS = ['device.id', 'device.external_id', 'device.state', 'device.type', 'device.tags'] as const;

/** All devices that match a filter, in pages. Other work runs between two pages, however many devices there are. */
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
