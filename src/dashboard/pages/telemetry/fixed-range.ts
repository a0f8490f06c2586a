import type { FixedRange } from '../../resources/telemetry/time-range.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { dateFormat, type TimeZone } from '../../ui/format/intl-formats.ts';

/** Neighbouring ranges overlap, so that the place is easy to find again. */
const STEP_SHARE = 0.5;
const ZOOM_FACTOR = 2;
const MIN_MS = 100;

const widthOf = ({ fromMs, toMs }: FixedRange) => toMs - fromMs;

export const earlier = ({ fromMs, toMs }: FixedRange): FixedRange => {
  const step = Math.ceil(widthOf({ fromMs, toMs }) * STEP_SHARE);
  return { fromMs: fromMs - step, toMs: toMs - step };
};

export const later = ({ fromMs, toMs }: FixedRange): FixedRange => {
  const step = Math.ceil(widthOf({ fromMs, toMs }) * STEP_SHARE);
  return { fromMs: fromMs + step, toMs: toMs + step };
};

/** Scales a range around its middle. */
const scaled = (fixedRange: FixedRange, factor: number): FixedRange => {
  const width = Math.max(MIN_MS, Math.round(widthOf(fixedRange) * factor));
  const fromMs = Math.round((fixedRange.fromMs + fixedRange.toMs - width) / 2);
  return { fromMs, toMs: fromMs + width };
};

export const closer = (fixedRange: FixedRange): FixedRange => scaled(fixedRange, 1 / ZOOM_FACTOR);
export const wider = (fixedRange: FixedRange): FixedRange => scaled(fixedRange, ZOOM_FACTOR);

/** The share of a range that lies beyond the chosen moment. */
const MARGIN_SHARE = 0.1;

/** A range of the same width that ends shortly after a moment. */
export const endingNear = (fixedRange: FixedRange, ms: number): FixedRange => {
  const toMs = Math.ceil(ms + widthOf(fixedRange) * MARGIN_SHARE);
  return { fromMs: toMs - widthOf(fixedRange), toMs };
};

/** A range of the same width that begins shortly before a moment. */
export const beginningNear = (fixedRange: FixedRange, ms: number): FixedRange => {
  const fromMs = Math.floor(ms - widthOf(fixedRange) * MARGIN_SHARE);
  return { fromMs, toMs: fromMs + widthOf(fixedRange) };
};

/** Seconds are shown below this width. */
const SECONDS_BELOW_MS = 600_000;

const formatFor = ({ fromMs, toMs }: FixedRange, zone: TimeZone, hasYear: boolean) =>
  dateFormat(
    {
      ...(hasYear && { year: 'numeric' }),
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      ...(toMs - fromMs < SECONDS_BELOW_MS && { second: '2-digit' }),
    },
    zone,
  );

/** The text of a range, to the minute or second; shared parts appear once. */
export const rangeText = (fixedRange: FixedRange, zone: TimeZone): string =>
  formatFor(fixedRange, zone, true).formatRange(fixedRange.fromMs, fixedRange.toMs);

/** A short text of a range: without the current year. */
export const shortRangeText = (fixedRange: FixedRange, zone: TimeZone): string => {
  const thisYear = new Date(nowMs()).getFullYear();
  const isThisYear = [fixedRange.fromMs, fixedRange.toMs].every(
    (ms) => new Date(ms).getFullYear() === thisYear,
  );
  return formatFor(fixedRange, zone, !isThisYear).formatRange(fixedRange.fromMs, fixedRange.toMs);
};

/** Both ends in full. */
export const rangeEndTexts = (
  fixedRange: FixedRange,
  zone: TimeZone,
): readonly [from: string, to: string] => {
  const format = formatFor(fixedRange, zone, true);
  return [format.format(fixedRange.fromMs), format.format(fixedRange.toMs)];
};
