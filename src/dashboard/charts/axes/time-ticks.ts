import type { TimeSpan } from '../series/time-span.ts';
import { dayAt, offsetMsAt, startOfDay } from './wall-clock.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
export const DAY_MS = 86_400_000;

/** The distance of ticks: a clock step in ms (a fraction of a day), or a number of days, months or years. */
export type TimeStep = { unit: 'clock' | 'day' | 'month' | 'year'; size: number };

const clock = (size: number): TimeStep => ({ unit: 'clock', size });
const STEPS: readonly TimeStep[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map(clock),
  ...[1, 2, 5, 10, 15, 30].map((n) => clock(n * SECOND)),
  ...[1, 2, 5, 10, 15, 30].map((n) => clock(n * MINUTE)),
  ...[1, 2, 3, 6, 12].map((n) => clock(n * HOUR)),
  ...[1, 2, 7, 14].map((size): TimeStep => ({ unit: 'day', size })),
  ...[1, 2, 3, 6].map((size): TimeStep => ({ unit: 'month', size })),
  ...[1, 2, 5, 10, 20, 50, 100].map((size): TimeStep => ({ unit: 'year', size })),
];

/** The usual length of a step. */
export function lengthMs({ unit, size }: TimeStep): number {
  if (unit === 'clock') return size;
  if (unit === 'day') return size * DAY_MS;
  return size * DAY_MS * (unit === 'month' ? 30.44 : 365.25);
}

export interface TimeTicks {
  step: TimeStep;
  ticks: readonly number[];
}

/** Round times of the zone's clock within the span, with the smallest step whose labels `fits` accepts. */
export function timeTicks(span: TimeSpan, zone: TimeZone, fits: (step: TimeStep) => boolean): TimeTicks {
  const step = STEPS.find(fits) ?? STEPS.at(-1)!;
  const ticks: number[] = [];
  for (let at = firstTick(span.fromMs, step, zone); at <= span.toMs; at = nextTick(at, step, zone))
    ticks.push(at);
  return { step, ticks };
}

function firstTick(fromMs: number, step: TimeStep, zone: TimeZone): number {
  // Starts one millisecond earlier, so that a tick at the start is included.
  return nextTick(fromMs - 1, step, zone);
}

function nextTick(afterMs: number, step: TimeStep, zone: TimeZone): number {
  if (step.unit === 'clock') return nextClockTick(afterMs, step.size, zone);
  const next = calendarTick(afterMs, step, zone, 0);
  return next > afterMs ? next : calendarTick(afterMs, step, zone, 1);
}

/**
 * The next time at which the wall clock shows a multiple of the step. At a clock change, the offset before or after the
 * change is the right one: a repeated hour has two ticks, a skipped one none.
 */
function nextClockTick(afterMs: number, sizeMs: number, zone: TimeZone): number {
  const before = offsetMsAt(afterMs, zone);
  const wall = (Math.floor((afterMs + before) / sizeMs) + 1) * sizeMs;
  const next = wall - before;
  const after = offsetMsAt(next, zone);
  if (after === before || isRound(next + after, sizeMs)) return next;
  const corrected = wall - after;
  return corrected > afterMs ? corrected : next;
}

const isRound = (wallMs: number, sizeMs: number) => wallMs % sizeMs === 0;

function calendarTick(ms: number, { unit, size }: TimeStep, zone: TimeZone, stepsAhead: number): number {
  const { year, month, day } = dayAt(ms, zone);
  if (unit === 'year') {
    return startOfDay({ year: (Math.floor(year / size) + stepsAhead) * size, month: 0, day: 1 }, zone);
  }
  if (unit === 'month') {
    return startOfDay({ year, month: (Math.floor(month / size) + stepsAhead) * size, day: 1 }, zone);
  }
  // Days are counted from a Monday, 5 January 1970, so that weeks begin on one.
  const number = Date.UTC(year, month, day) / DAY_MS - 4;
  const wanted = (Math.floor(number / size) + stepsAhead) * size;
  return startOfDay({ year, month, day: day + wanted - number }, zone);
}
