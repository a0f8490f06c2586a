import { formatDuration } from './format-duration.ts';
import { storedOption } from '../browser/stored-choice.ts';
import { dateFormat, type TimeZone } from './intl-formats.ts';

/** The time zone of shown times. */
export const timeZoneChoice = storedOption<TimeZone>('penstock.time-zone', ['local', 'utc'], 'local');

export const localTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
export const zoneName = (choice: TimeZone): string => (choice === 'utc' ? 'UTC' : localTimeZone());

const EXACT = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
} as const;
const DAY = { year: 'numeric', month: 'short', day: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;

/** The exact time, with its zone. */
export const formatExact = (ms: number, choice: TimeZone): string => dateFormat(EXACT, choice).format(ms);
/** The day alone. */
export const formatDay = (ms: number, choice: TimeZone): string => dateFormat(DAY, choice).format(ms);
/** The time of the day alone. */
export const formatClock = (ms: number, choice: TimeZone): string => dateFormat(CLOCK, choice).format(ms);

const JUST_NOW_MS = 1_500;
const AS_DAY_FROM_MS = 30 * 86_400_000;

/** How long ago, or how soon: “4 s ago”, “in 3 d”; a day where that is more than 30 days away. */
export const formatRelative = (ms: number, nowMs: number, choice: TimeZone): string => {
  const agoMs = nowMs - ms;
  if (Math.abs(agoMs) >= AS_DAY_FROM_MS) return formatDay(ms, choice);
  if (Math.abs(agoMs) < JUST_NOW_MS) return 'just now';
  return agoMs > 0 ? `${formatDuration(agoMs)} ago` : `in ${formatDuration(-agoMs)}`;
};

/** The end of something, to the minute. */
export const untilText = (ms: number, zone: TimeZone): string =>
  `${formatDay(ms, zone)}, ${formatClock(ms, zone).slice(0, 5)} (${zoneName(zone)})`;
