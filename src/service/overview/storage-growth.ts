import type { Logger } from 'pino';
import * as z from 'zod';
import { findFact, setFact, type Db } from '../platform/storage/database.ts';
import { isUnwritable } from '../platform/storage/disk-full.ts';
import { TelemetryUnavailable } from '../platform/storage/store-errors.ts';
import type { TelemetryStore } from '../telemetry/store/telemetry-store.ts';

const HOUR_MS = 3_600_000;
/** A week averages the days of a week, removals by retention and compactions. */
const KEEP_MS = 7 * 24 * HOUR_MS;
/** Less than a day is too short: devices send less at night, and a compaction frees space at once. */
const LEAST_SPAN_MS = 24 * HOUR_MS;
/** Name of the fact that holds the sizes, so that a restart does not lose them. */
const FACT = 'telemetry-sizes';

const sizesSchema = z.array(z.object({ at: z.number(), bytes: z.number() }));
type Sizes = z.infer<typeof sizesSchema>;

/** How much the telemetry has grown since a time, in epoch ms. */
export type Growth = { bytesPerDay: number; since: number };

export type StorageGrowth = {
  /** Undefined: less than a day is known. */
  growth(bytes: number): Growth | undefined;
  close(): Promise<void>;
};

type Dependencies = {
  db: Db;
  telemetry: Pick<TelemetryStore, 'stats'>;
  log: Logger;
  now: () => number;
  everyMs: number;
};

/** Records the size of the telemetry each hour for a week. Other files on its disk do not count. */
export const startStorageGrowth = async ({
  db,
  telemetry,
  log,
  now,
  everyMs,
}: Dependencies): Promise<StorageGrowth> => {
  let sizes: Sizes = sizesSchema.parse(JSON.parse((await findFact(db, FACT)) ?? '[]'));

  const record = async (): Promise<void> => {
    const atMs = now();
    const last = sizes.at(-1);
    if (last !== undefined && Math.abs(atMs - last.at) < HOUR_MS) return;
    const { bytes } = await telemetry.stats();
    // After the clock was set back, the times of earlier sizes are unknown.
    const kept = sizes.filter(({ at }) => at <= atMs && at >= atMs - KEEP_MS);
    sizes = [...kept, { at: atMs, bytes }];
    await setFact(db, FACT, JSON.stringify(sizes));
  };

  let recording: Promise<void> = Promise.resolve();
  const recordInOrder = (): Promise<void> =>
    (recording = recording.then(record).catch((error: unknown) => {
      if (!isUnwritable(error) && !(error instanceof TelemetryUnavailable))
        log.error({ err: error }, 'could not record the size of the telemetry');
    }));
  await recordInOrder();
  const timer = setInterval(() => void recordInOrder(), everyMs);
  timer.unref();

  return {
    growth: (bytes) => {
      const [first] = sizes;
      const spanMs = first === undefined ? 0 : now() - first.at;
      if (first === undefined || spanMs < LEAST_SPAN_MS) return undefined;
      const bytesPerDay = Math.round(((bytes - first.bytes) / spanMs) * 24 * HOUR_MS);
      return { bytesPerDay, since: first.at };
    },
    close: async () => {
      clearInterval(timer);
      await recording;
    },
  };
};
