import type { Event } from './events.ts';

/** The least number of events that are shown as one entry. */
export const RUN_LENGTH = 5;

const MINUTE_MS = 60_000;
/** What Penstock detects for many devices at once. */
const RUN_TYPES = new Set(['device.online', 'device.late', 'device.offline']);

/** Events in a row with the same key are a run: devices that changed to one state in a minute. Null: never in a run. */
export const runKeyOf = ({ type, at }: Pick<Event, 'type' | 'at'>): string | null =>
  RUN_TYPES.has(type) ? `${type} ${Math.floor(Date.parse(at) / MINUTE_MS)}` : null;
