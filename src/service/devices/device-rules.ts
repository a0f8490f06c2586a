import type { DeviceState } from '#contract/devices.ts';
import type { Actor } from '../platform/http/auth.ts';
import { notFound } from '../platform/http/http-problem.ts';

const LEAST_WINDOW_MS = 60_000;
/** Where no interval is expected. */
const UNKNOWN_WINDOW_MS = 300_000;

/** What the state of a device follows from. Intervals in seconds, times in epoch ms. */
export type ReportingInterval = { expectedInterval: number | null; learnedInterval: number | null };

/**
 * For how long after a message a device counts as online, in ms. A learned interval only ever widens
 * the window of a device that nobody set an interval for: bursts must not make it late.
 */
export const onlineWindowMs = ({ expectedInterval, learnedInterval }: ReportingInterval): number =>
  expectedInterval === null
    ? Math.max(3_000 * (learnedInterval ?? 0), UNKNOWN_WINDOW_MS)
    : Math.max(3_000 * expectedInterval, LEAST_WINDOW_MS);

/** The instants at which a device becomes late and offline, and its state now. `lastSeenAt` 0: never. */
export const presenceOf = (
  lastSeenAt: number,
  interval: ReportingInterval,
  nowMs: number,
): { state: DeviceState; lateAt: number | null; offlineAt: number | null } => {
  if (lastSeenAt === 0) return { state: 'never-seen', lateAt: null, offlineAt: null };
  const windowMs = onlineWindowMs(interval);
  // One past the window: at its very end a device is still online.
  const [lateAt, offlineAt] = [lastSeenAt + windowMs + 1, lastSeenAt + 2 * windowMs + 1];
  return { state: nowMs < lateAt ? 'online' : nowMs < offlineAt ? 'late' : 'offline', lateAt, offlineAt };
};

/** Deleted devices can be restored for this long. */
export const RESTORE_MS = 86_400_000;

/** Refuses, as if it did not exist, a device that the token is not for. */
export const requireVisible = (actor: Actor, deviceId: string): void => {
  if (actor.devices !== null && !actor.devices.includes(deviceId)) throw notFound('device');
};
