import { formatClock, formatDay, zoneName, type TimeZoneChoice } from './format-time.ts';

/** The end of something to the minute: nobody plans by milliseconds. */
export const untilText = (ms: number, zone: TimeZoneChoice): string =>
  `${formatDay(ms, zone)}, ${formatClock(ms, zone).slice(0, 5)} (${zoneName(zone)})`;
