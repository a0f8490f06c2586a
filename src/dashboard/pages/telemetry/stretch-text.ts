import type { Stretch } from '../../resources/telemetry/time-range.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { zoneName, type TimeZoneChoice } from '../../ui/format/format-time.ts';

/** Below this width the seconds tell something. */
const SECONDS_BELOW_MS = 600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

const formatFor = (
  { fromMs, toMs }: Stretch,
  zone: TimeZoneChoice,
  hasYear: boolean,
): Intl.DateTimeFormat => {
  const hasSeconds = toMs - fromMs < SECONDS_BELOW_MS;
  const key = `${zone} ${hasSeconds} ${hasYear}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(navigator.language, {
    ...(hasYear && { year: 'numeric' }),
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(hasSeconds && { second: '2-digit' }),
    hourCycle: 'h23',
    timeZone: zoneName(zone),
  });
  formats.set(key, made);
  return made;
};

/** From one moment to another, to the minute or second; what both share is said once. */
export const stretchText = (stretch: Stretch, zone: TimeZoneChoice): string =>
  formatFor(stretch, zone, true).formatRange(stretch.fromMs, stretch.toMs);

/** The same where room is short: without the year, where it is this one. */
export const shortStretchText = (stretch: Stretch, zone: TimeZoneChoice): string => {
  const thisYear = new Date(nowMs()).getFullYear();
  const isThisYear = [stretch.fromMs, stretch.toMs].every((ms) => new Date(ms).getFullYear() === thisYear);
  return formatFor(stretch, zone, !isThisYear).formatRange(stretch.fromMs, stretch.toMs);
};

/** The two moments, each in full. */
export const stretchEnds = (stretch: Stretch, zone: TimeZoneChoice): readonly [from: string, to: string] => {
  const format = formatFor(stretch, zone, true);
  return [format.format(stretch.fromMs), format.format(stretch.toMs)];
};
