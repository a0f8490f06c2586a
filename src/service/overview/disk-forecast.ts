import { readDiskSpace } from './storage-warning.ts';
import type { StorageGrowth } from './storage-growth.ts';

const DAY_MS = 86_400_000;
/** Forecasts beyond this are omitted. */
const HORIZON_MS = 10 * 365 * DAY_MS;

type Dependencies = {
  /** The directory of telemetry.db; undefined: telemetry is on a database server. */
  telemetryDir: string | undefined;
  storageGrowth: Pick<StorageGrowth, 'growth'> | undefined;
  now: () => number;
};

/** Forecasts when the disk of the telemetry will be full if the telemetry goes on growing as it did. */
export const createDiskForecast =
  ({ telemetryDir, storageGrowth, now }: Dependencies) =>
  async (bytes: number) => {
    if (telemetryDir === undefined) return { freeBytes: null, fullAt: null, growth: null };
    const { freeBytes } = await readDiskSpace(telemetryDir);
    const growth = storageGrowth?.growth(bytes) ?? null;
    if (growth === null || growth.bytesPerDay <= 0) return { freeBytes, fullAt: null, growth };
    const leftMs = (freeBytes / growth.bytesPerDay) * DAY_MS;
    return { freeBytes, fullAt: leftMs > HORIZON_MS ? null : Math.round(now() + leftMs), growth };
  };
