import type { Stretch } from '../../resources/telemetry/time-range.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { zoneName, type TimeZoneChoice } from '../../ui/format/format-time.ts';

/** Neighbouring ranges overlap, so that the place is easy to find again. */
const STEP_SHARE = 0.5;
const FACTOR = 2;
const MIN_MS = 100;

const widthOf = ({ fromMs, toMs }: Stretch) => toMs - fromMs;

export const earlier = ({ fromMs, toMs }: Stretch): Stretch => {
  const step = Math.ceil(widthOf({ fromMs, toMs }) * STEP_SHARE);
  return { fromMs: fromMs - step, toMs: toMs - step };
};

export const later = ({ fromMs, toMs }: Stretch): Stretch => {
  const step = Math.ceil(widthOf({ fromMs, toMs }) * STEP_SHARE);
  return { fromMs: fromMs + step, toMs: toMs + step };
};

/** Scales a range around its middle. */
const scaled = (stretch: Stretch, factor: number): Stretch => {
  const width = Math.max(MIN_MS, Math.round(widthOf(stretch) * factor));
  const fromMs = Math.round((stretch.fromMs + stretch.toMs - width) / 2);
  return { fromMs, toMs: fromMs + width };
};

export const closer = (stretch: Stretch): Stretch => scaled(stretch, 1 / FACTOR);
export const wider = (stretch: Stretch): Stretch => scaled(stretch, FACTOR);

/** The share of a range that lies beyond the chosen moment. */
const MARGIN_SHARE = 0.1;

/** A range of the same width that ends shortly after a moment. */
export const endingNear = (stretch: Stretch, ms: number): Stretch => {
  const toMs = Math.ceil(ms + widthOf(stretch) * MARGIN_SHARE);
  return { fromMs: toMs - widthOf(stretch), toMs };
};

/** A range of the same width that begins shortly before a moment. */
export const beginningNear = (stretch: Stretch, ms: number): Stretch => {
  const fromMs = Math.floor(ms - widthOf(stretch) * MARGIN_SHARE);
  return { fromMs, toMs: fromMs + widthOf(stretch) };
};

/** Seconds are shown below this width. */
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

/** The text of a range, to the minute or second; shared parts appear once. */
export const stretchText = (stretch: Stretch, zone: TimeZoneChoice): string =>
  formatFor(stretch, zone, true).formatRange(stretch.fromMs, stretch.toMs);

/** A short text of a range: without the current year. */
export const shortStretchText = (stretch: Stretch, zone: TimeZoneChoice): string => {
  const thisYear = new Date(nowMs()).getFullYear();
  const isThisYear = [stretch.fromMs, stretch.toMs].every((ms) => new Date(ms).getFullYear() === thisYear);
  return formatFor(stretch, zone, !isThisYear).formatRange(stretch.fromMs, stretch.toMs);
};

/** Both ends in full. */
export const stretchEnds = (stretch: Stretch, zone: TimeZoneChoice): readonly [from: string, to: string] => {
  const format = formatFor(stretch, zone, true);
  return [format.format(stretch.fromMs), format.format(stretch.toMs)];
};
