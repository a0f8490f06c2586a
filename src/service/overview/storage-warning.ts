import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Transact } from '../events/event-store.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import { findFact, setFact, type Db } from '../platform/storage/database.ts';
import { isUnwritable } from '../platform/storage/disk-full.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import type { Lease } from '../platform/storage/lease.ts';

/** Low disk space: less than this, and less than this share of the disk. */
const LOW = { bytes: 1e9, share: 0.1 };
/** The warning ends when this much more is free, so that a disk near the limit does not warn again and again. */
const RECOVERS_AT = 1.25;
/** Name of the fact that holds since when the recorded warning lasts, so that a restart does not repeat the event. */
const FACT = 'storage-low-since';

export type DiskSpace = { freeBytes: number; diskBytes: number };

/** The space of the disk that holds a directory. */
export const readDiskSpace = async (directory: string): Promise<DiskSpace> => {
  const { bavail, blocks, bsize } = await statfs(directory);
  return { freeBytes: bavail * bsize, diskBytes: blocks * bsize };
};

export type StorageWarning = {
  /** The low disk space, and since when; undefined: enough. */
  low(): (DiskSpace & { sinceMs: number }) | undefined;
  close(): Promise<void>;
};

/** Warns before the disk of the data directory is full: records an event when disk space is low, and when it has recovered. */
export const startStorageWarning = async ({
  db,
  transact,
  live,
  disk,
  lease,
  log,
  now,
  diskSpace,
  everyMs,
}: {
  db: Db;
  transact: Transact;
  live: Pick<LiveBus, 'publish'>;
  disk: Pick<DiskGuard, 'state' | 'readOnlyError'>;
  lease: Pick<Lease, 'isHeld'>;
  log: Logger;
  now: () => number;
  diskSpace: () => Promise<DiskSpace>;
  everyMs: number;
}): Promise<StorageWarning> => {
  /** Epoch ms; 0: no warning was recorded. */
  let recordedSinceMs = Number((await findFact(db, FACT)) ?? 0);
  let sinceMs = recordedSinceMs;
  let space: DiskSpace = { freeBytes: 0, diskBytes: 0 };

  const record = () =>
    transact(async (tx, recordEvents) => {
      await setFact(tx, FACT, String(sinceMs));
      await recordEvents({
        type: sinceMs === 0 ? 'service.storage-recovered' : 'service.storage-low',
        subject: { type: 'service', id: '', name: 'Service disk' },
        actor: null,
        data: space,
        at: now(),
      });
    });

  const check = async (): Promise<void> => {
    space = await diskSpace();
    const limit = Math.min(LOW.bytes, space.diskBytes * LOW.share);
    const isLow = space.freeBytes < (sinceMs === 0 ? limit : limit * RECOVERS_AT);
    if (isLow !== (sinceMs !== 0)) {
      sinceMs = isLow ? now() : 0;
      live.publish('storage', { state: disk.state() });
    }
    // On a full disk, the event is recorded once there is room.
    if ((sinceMs === 0) === (recordedSinceMs === 0) || disk.readOnlyError() !== undefined) return;
    // There is one record for all processes.
    if (!lease.isHeld()) return;
    const recording = sinceMs;
    await record();
    recordedSinceMs = recording;
  };

  let checking: Promise<void> = Promise.resolve();
  const checkInOrder = (): Promise<void> =>
    (checking = checking.then(check).catch((error: unknown) => {
      if (!isUnwritable(error)) log.error({ err: error }, 'could not check the free space of the disk');
    }));
  await checkInOrder();
  const timer = setInterval(() => void checkInOrder(), everyMs);
  timer.unref();

  return {
    low: () => (sinceMs === 0 ? undefined : { ...space, sinceMs }),
    close: async () => {
      clearInterval(timer);
      await checking;
    },
  };
};
