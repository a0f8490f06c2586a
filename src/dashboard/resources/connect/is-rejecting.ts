import type { KeyActivity } from '#contract/key-activity.ts';

/** Longer than the interval of most devices, so that the state does not change between two of their messages. */
const RECENT_MS = 60_000;

/** Whether data of a key is rejected: in the last minute, or after the last sample that was accepted. */
export const isRejecting = (
  { received, rejected, devices, rejections }: KeyActivity,
  nowMs: number,
): boolean => {
  const lastRejection = rejections[0];
  // Undefined also if the session cannot read rejections.
  if (lastRejection === undefined || received === rejected)
    return rejected > 0 || lastRejection !== undefined;
  const rejectedMs = Date.parse(lastRejection.lastAt);
  const acceptedMs = devices[0] === undefined ? Infinity : Date.parse(devices[0].lastAt);
  return nowMs - rejectedMs < RECENT_MS || acceptedMs <= rejectedMs;
};
