import { DAY_MS, lengthMs, type TimeStep } from './time-ticks.ts';
import { dayAt, startOfDay } from './wall-clock.ts';
import { dateFormat, numberFormat, type TimeZone } from '../../ui/format/intl-formats.ts';

type Options = Intl.DateTimeFormatOptions;

const DATE: Options = { day: 'numeric', month: 'short' };
const CLOCK: Options = { hour: '2-digit', minute: '2-digit' };
const SECONDS: Options = { ...CLOCK, second: '2-digit' };
const FRACTION: Options = { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 };

/** The label of a tick: the time of day, the date at the start of a day, the year at the start of a year. */
export function formatTick(ms: number, step: TimeStep, zone: TimeZone, locale?: string): string {
  if (step.unit === 'year') return dateFormat({ year: 'numeric' }, zone, locale).format(ms);
  const day = dayAt(ms, zone);
  if (step.unit === 'month') {
    const isNewYear = day.month === 0;
    return isNewYear
      ? dateFormat({ year: 'numeric' }, zone, locale).format(ms)
      : dateFormat({ month: 'short' }, zone, locale).format(ms);
  }
  if (step.unit === 'day' || ms === startOfDay(day, zone)) return dateFormat(DATE, zone, locale).format(ms);
  if (step.size < 1_000) return dateFormat(FRACTION, zone, locale).format(ms);
  if (step.size < 60_000) return dateFormat(SECONDS, zone, locale).format(ms);
  return dateFormat(CLOCK, zone, locale).format(ms);
}

/** A time in full, as precise as `resolutionMs` (the step of samples or the width of buckets). */
export function formatMoment(ms: number, resolutionMs: number, zone: TimeZone, locale?: string): string {
  return momentFormat(resolutionMs, zone, locale).format(ms);
}

/** The text of a range, to the second unless its ends are whole minutes; shared parts appear once. */
export function formatRange(fromMs: number, toMs: number, zone: TimeZone, locale?: string): string {
  const widthMs = toMs - fromMs;
  const isWholeMinutes = fromMs % 60_000 === 0 && toMs % 60_000 === 0;
  // A bucket of 86 s begins and ends within a minute.
  const resolutionMs = widthMs < DAY_MS && !isWholeMinutes ? Math.min(widthMs, 1_000) : widthMs;
  return momentFormat(resolutionMs, zone, locale).formatRange(fromMs, toMs);
}

function momentFormat(resolutionMs: number, zone: TimeZone, locale: string | undefined): Intl.DateTimeFormat {
  const date: Options = { ...DATE, year: 'numeric' };
  if (resolutionMs >= DAY_MS) return dateFormat(date, zone, locale);
  if (resolutionMs >= 60_000) return dateFormat({ ...date, ...CLOCK }, zone, locale);
  if (resolutionMs >= 1_000) return dateFormat({ ...date, ...SECONDS }, zone, locale);
  return dateFormat({ ...date, ...SECONDS, fractionalSecondDigits: 3 }, zone, locale);
}

/** The number of characters of a step's widest label, estimated from a few labels. */
export function tickLabelLength(step: TimeStep, fromMs: number, zone: TimeZone, locale?: string): number {
  const samples = [fromMs, fromMs + lengthMs(step), startOfDay(dayAt(fromMs, zone), zone)];
  return Math.max(...samples.map((ms) => formatTick(ms, step, zone, locale).length));
}

const UNITS = [
  [DAY_MS, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** A length of time in its largest whole unit: `24 h`, `90 min`, `30 d`. Two days are days, one is 24 hours. */
export function formatSpan(ms: number, locale?: string): string {
  const [unitMs, unit] =
    UNITS.find(([size, name]) => ms >= size * (name === 'd' ? 2 : 1) && Math.round(ms) % size === 0) ??
    UNITS.find(([size]) => ms >= size * 2) ??
    ([1_000, 's'] as const);
  const amount = numberFormat({ maximumFractionDigits: 1 }, locale).format(ms / unitMs);
  return `${amount}\u00a0${unit}`;
}
