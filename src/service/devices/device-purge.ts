import { RESTORE_MS } from '#contract/device-restoration.ts';
import type { Db } from '../platform/storage/database.ts';
import type { TelemetryStore } from '../telemetry/store/telemetry-store.ts';
import { deleteDevices, listPurgeable } from './device-store.ts';

/**
 * Deletes devices 24 hours after their deletion was requested. Telemetry goes first, so that a crash in between is
 * repaired by the next run.
 */
export const purgeDeletedDevices = async ({
  db,
  telemetry,
  now,
}: {
  db: Db;
  telemetry: TelemetryStore;
  now: () => number;
}): Promise<void> => {
  const deletedBeforeMs = now() - RESTORE_MS;
  for (;;) {
    const ids = (await listPurgeable(db, deletedBeforeMs)).map(({ id }) => id);
    if (ids.length === 0) return;
    await telemetry.remove({ devices: ids, fromMs: -Infinity, toMs: Infinity });
    await deleteDevices(db, ids, deletedBeforeMs);
  }
};
