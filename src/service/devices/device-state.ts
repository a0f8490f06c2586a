import { onlineWindowMs, type ReportingInterval } from '#contract/device-presence.ts';
import type { DeviceState } from '#contract/device-filter.ts';
import type { NewEvent } from '../events/event-store.ts';
import type { DeviceRow } from './device-store.ts';

/** When a device becomes late and offline, and its current state. `lastSeenAt` 0: never. */
export const presenceOf = (
  lastSeenAt: number,
  interval: ReportingInterval,
  nowMs: number,
): { state: DeviceState; lateAt: number | null; offlineAt: number | null } => {
  if (lastSeenAt === 0) return { state: 'never-seen', lateAt: null, offlineAt: null };
  const windowMs = onlineWindowMs(interval);
  // One past the window, because a device is still online at its end.
  const [lateAt, offlineAt] = [lastSeenAt + windowMs + 1, lastSeenAt + 2 * windowMs + 1];
  return { state: nowMs < lateAt ? 'online' : nowMs < offlineAt ? 'late' : 'offline', lateAt, offlineAt };
};

/** The event for a state change of a device: a message was received, or none arrived in time. */
export const deviceStateChanged = (
  row: Pick<DeviceRow, 'id' | 'name' | 'state'>,
  state: DeviceState,
  at: number,
): NewEvent => ({
  type: `device.${state as Exclude<DeviceState, 'never-seen'>}`,
  subject: { type: 'device', id: row.id, name: row.name },
  actor: null,
  data: { from: row.state },
  at,
});
