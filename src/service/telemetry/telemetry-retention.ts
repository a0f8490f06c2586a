import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.ts';
import { listDeviceIds } from '../devices/device-store.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import type { Lease } from '../platform/storage/lease.ts';
import { TelemetryUnavailable } from '../platform/storage/store-errors.ts';
import type { Db } from '../platform/storage/database.ts';
import type { TelemetryStore } from './store/telemetry-store.ts';

const DEVICES_PER_STEP = 500;

/**
 * Deletes telemetry that is older than the retention, at the start and every `everyMs`. Processes a few devices at a
 * time, so that reads and writes run in between. `retentionMs` undefined: keeps everything.
 */
export const startRetention = ({
  db,
  telemetry,
  disk,
  lease,
  log,
  clock,
  retentionMs,
  everyMs,
}: {
  db: Db;
  telemetry: TelemetryStore;
  disk: Pick<DiskGuard, 'withReserve'>;
  lease: Pick<Lease, 'isHeld'>;
  log: Logger;
  clock: Pick<Clock, 'now' | 'isTrusted'>;
  retentionMs: number | undefined;
  everyMs: number;
}): { close(): Promise<void> } => {
  if (retentionMs === undefined) return { close: async () => undefined };
  const closing = new AbortController();

  const removeOld = async (): Promise<void> => {
    const toMs = clock.now() - retentionMs;
    if (!clock.isTrusted() || !lease.isHeld()) return;
    if (telemetry.removeBefore !== undefined) return telemetry.removeBefore(toMs);
    await telemetry.dropBefore?.(toMs);
    let damage: TelemetryUnavailable | undefined;
    for (let last: string | undefined = ''; last !== undefined;) {
      if (closing.signal.aborted || !lease.isHeld()) return;
      const devices = await listDeviceIds(db, last, DEVICES_PER_STEP);
      try {
        await disk.withReserve(() => telemetry.remove({ devices, fromMs: -Infinity, toMs }));
      } catch (error) {
        // Damaged samples of a device must not keep those of other devices.
        if (!(error instanceof TelemetryUnavailable)) throw error;
        damage ??= error;
      }
      last = devices.at(-1);
    }
    if (damage !== undefined) throw damage;
  };
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= removeOld()
      .catch((error: unknown) => log.error({ err: error }, 'could not delete old telemetry'))
      .finally(() => (running = undefined));
  };
  run();
  const timer = setInterval(run, everyMs);
  return {
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await running;
    },
  };
};
