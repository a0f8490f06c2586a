import { LIMITS } from '#contract/sample-rules.ts';
import { defaultAggregates, type Aggregate } from '#contract/telemetry.ts';
import { describeRangeEnd, parseBucket, parseRangeEnd } from '#contract/time-range.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import { calendarStarts, isTimeZone } from './calendar-buckets.ts';
import type { Resolution } from '../store/telemetry-store.ts';

const DEFAULT_POINTS = 500;

/** The time range of a query as text. */
export type RangeText = { readonly from: string | number; readonly to: string | number };
export type ResolutionText = {
  readonly points?: number | undefined;
  readonly bucket?: string | undefined;
  readonly timeZone: string;
};

/** Creates the problem for an invalid field: a parameter of a GET, or a field of a body. */
export type InvalidInput = (field: string, detail: string) => HttpProblem;

/** `fromMs` ≤ ts < `toMs`. @throws HttpProblem if the range is empty or invalid */
export const readRange = (
  { from, to }: RangeText,
  nowMs: number,
  invalidInput: InvalidInput,
): { fromMs: number; toMs: number } => {
  const [fromMs, toMs] = [parseRangeEnd(from, nowMs), parseRangeEnd(to, nowMs)];
  if (fromMs === undefined) throw invalidInput('from', describeRangeEnd(from));
  if (toMs === undefined) throw invalidInput('to', describeRangeEnd(to));
  if (toMs <= fromMs) throw invalidInput('to', 'Must be later than from.');
  return { fromMs, toMs };
};

/** @throws HttpProblem if there would be too many buckets */
export const readResolution = (
  { points, bucket, timeZone }: ResolutionText,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  invalidInput: InvalidInput,
): Resolution => {
  if (!isTimeZone(timeZone))
    throw invalidInput('timeZone', 'Must be the IANA name of a time zone, such as Europe/Berlin.');
  if (bucket === undefined) return { points: points ?? DEFAULT_POINTS };
  if (points !== undefined) throw invalidInput('points', 'Use either points or bucket, not both.');
  const width = parseBucket(bucket);
  if (width === undefined) throw invalidInput('bucket', 'Must be a width such as 10s, 5m, 1h or 1d.');
  const buckets = Math.ceil(toMs / width.ms) - Math.floor(fromMs / width.ms);
  if (buckets > LIMITS.pointsPerSeries)
    throw new HttpProblem(
      'query-too-large',
      `With ${bucket}, this range has ${buckets} buckets per series. The limit is ${LIMITS.pointsPerSeries}. Use wider buckets or a shorter range.`,
    );
  if (!width.calendar) return { bucketMs: width.ms };
  return { bucketMs: width.ms, starts: calendarStarts(width.ms, fromMs, toMs, timeZone) };
};

export const tooManySeries = (count: number, limit: number, advice: string): HttpProblem =>
  new HttpProblem('query-too-large', `The query selects ${count} series. The limit is ${limit}. ${advice}`);

export const readAggregates = (requested: readonly Aggregate[] | undefined): readonly Aggregate[] =>
  requested === undefined ? defaultAggregates : [...new Set(requested)];
