import { statfs } from 'node:fs/promises';
import type { Clock } from '../platform/clock.ts';

const HOUR_MS = 3_600_000;
const KEEP_MS = 6 * HOUR_MS;
const LEAST_SPAN_MS = HOUR_MS / 6;
/** Forecasts beyond this are omitted. */
const HORIZON_MS = 10 * 365 * 24 * HOUR_MS;

/** Forecasts when the disk will be full, from the growth of the store in the last hours. */
export const createDiskForecast = (directory: string, { now, elapsed }: Pick<Clock, 'now' | 'elapsed'>) => {
  const sizes: { at: number; bytes: number }[] = [];
  return async (bytes: number): Promise<{ freeBytes: number; fullAt: number | null }> => {
    // The monotonic clock: a step of the wall clock would distort the growth rate.
    const atMs = elapsed();
    const last = sizes.at(-1);
    if (last === undefined || atMs - last.at >= 60_000) sizes.push({ at: atMs, bytes });
    while ((sizes[0]?.at ?? atMs) < atMs - KEEP_MS) sizes.shift();
    const { bavail, bsize } = await statfs(directory);
    const freeBytes = bavail * bsize;
    const first = sizes[0];
    if (first === undefined || atMs - first.at < LEAST_SPAN_MS) return { freeBytes, fullAt: null };
    const bytesPerMs = (bytes - first.bytes) / (atMs - first.at);
    const leftMs = bytesPerMs <= 0 ? Infinity : freeBytes / bytesPerMs;
    return { freeBytes, fullAt: leftMs > HORIZON_MS ? null : Math.round(now() + leftMs) };
  };
};
