import type { Logger } from 'pino';
import { warnOfExpiringKeys } from './access/expiring-keys.ts';
import { deleteExpired } from './access/session-store.ts';
import { purgeDeletedDevices } from './devices/device-purge.ts';
import { mergeSearchSegments } from './devices/merge-search-segments.ts';
import type { Transact } from './events/event-store.ts';
import type { Clock } from './platform/clock.ts';
import { deleteOldKeys } from './platform/http/idempotency.ts';
import type { Db } from './platform/storage/database.ts';
import { ignoreUnwritable } from './platform/storage/disk-full.ts';
import type { DiskGuard } from './platform/storage/disk-guard.ts';
import type { Lease } from './platform/storage/lease.ts';
import type { TelemetryStore } from './telemetry/store/telemetry-store.ts';

/**
 * Deletes expired data of all parts: once before the start completes, then every `everyMs`. Then merges the search index
 * in the background.
 */
export const startHousekeeping = async ({
  db,
  transact,
  telemetry,
  disk,
  lease,
  log,
  clock,
  everyMs,
}: {
  db: Db;
  transact: Transact;
  telemetry: TelemetryStore;
  disk: Pick<DiskGuard, 'withReserve' | 'isScarce'>;
  lease: Pick<Lease, 'isHeld'>;
  log: Logger;
  clock: Pick<Clock, 'now' | 'isTrusted'>;
  everyMs: number;
}): Promise<{ close(): Promise<void> }> => {
  const housekeep = async () => {
    if (!lease.isHeld()) return;
    // Read once, before the check, so that a later jump cannot make data look older.
    const nowMs = clock.now();
    const now = () => nowMs;
    if (!clock.isTrusted()) {
      log.info('the clock jumped ahead within the last hour, so housekeeping does not delete old data');
      return;
    }
    try {
      await disk.withReserve(async () => {
        await deleteExpired(db, nowMs);
        await deleteOldKeys(db, nowMs);
        await purgeDeletedDevices({ db, telemetry, now });
      });
      await warnOfExpiringKeys({ transact, now });
    } catch (error) {
      // A full disk must not prevent the start. The next run retries.
      log.error({ err: error }, 'housekeeping failed');
    }
  };
  const closing = new AbortController();
  const mergeIndex = async () => {
    try {
      await ignoreUnwritable(mergeSearchSegments(db, { disk, signal: closing.signal }));
    } catch (error) {
      log.error({ err: error }, 'merging the search index failed');
    }
  };
  await housekeep();
  let running = mergeIndex();
  const timer = setInterval(() => {
    running = running.then(housekeep).then(mergeIndex);
  }, everyMs);
  return {
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await running;
    },
  };
};
