import { statfs } from 'node:fs/promises';

const HOUR_MS = 3_600_000;
const KEEP_MS = 6 * HOUR_MS;
const LEAST_SPAN_MS = HOUR_MS / 6;
/** Further away than this is not in sight. */
const HORIZON_MS = 10 * 365 * 24 * HOUR_MS;

/** Remembers how large the store was, and from that tells when the disk is full at the rate of the last hours. */
export const createDiskForecast = (directory: string) => {
  const sizes: { at: number; bytes: number }[] = [];
  return async (bytes: number, nowMs: number): Promise<{ freeBytes: number; fullAt: number | null }> => {
    const last = sizes.at(-1);
    if (last === undefined || nowMs - last.at >= 60_000) sizes.push({ at: nowMs, bytes });
    while ((sizes[0]?.at ?? nowMs) < nowMs - KEEP_MS) sizes.shift();
    const { bavail, bsize } = await statfs(directory);
    const freeBytes = bavail * bsize;
    const first = sizes[0];
    if (first === undefined || nowMs - first.at < LEAST_SPAN_MS) return { freeBytes, fullAt: null };
    const bytesPerMs = (bytes - first.bytes) / (nowMs - first.at);
    const leftMs = bytesPerMs <= 0 ? Infinity : freeBytes / bytesPerMs;
    return { freeBytes, fullAt: leftMs > HORIZON_MS ? null : Math.round(nowMs + leftMs) };
  };
};
