import type { DeviceState } from '#contract/devices.ts';
import type { NewEvent } from '../events/event-store.ts';
import type { DeviceRow } from './device-store.ts';

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
