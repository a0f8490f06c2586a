import type { Event } from './events.ts';

/** The least number of events that are shown as one entry. */
export const RUN_LENGTH = 5;

const MINUTE_MS = 60_000;
/** What happens to many devices at once. */
const RUN_TYPES = new Set(['device.registered', 'device.online', 'device.late', 'device.offline']);

/** Whether a device was registered because it sent a message. */
export const isFirstSight = ({ data }: Pick<Event, 'data'>): boolean => data['firstSight'] === true;

/**
 * Events with the same key are a run, unless an event without a key is between them: devices that changed to one state in a
 * minute, or were registered in the same way by the same actor. Null: never in a run.
 */
export const runKeyOf = ({ type, at, actor, data }: Omit<Event, 'id' | 'subject'>): string | null =>
  RUN_TYPES.has(type)
    ? `${type} ${isFirstSight({ data })} ${actor?.id ?? ''} ${Math.floor(Date.parse(at) / MINUTE_MS)}`
    : null;
