import { LIMITS } from '#contract/sample-rules.ts';
import { defaultAggregates, type Aggregate } from '#contract/telemetry.ts';
import { parseBucket, parseRangeEnd } from '#contract/time-range.ts';
import { HttpProblem } from '../../platform/http/http-problem.ts';
import { calendarStarts, isTimeZone } from './calendar-buckets.ts';
import type { ReadResult, Resolution, StoredSeries } from '../store/telemetry-store.ts';

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
  if (fromMs === undefined)
    throw invalidInput('from', 'Must be RFC 3339, epoch ms, now, or relative such as -24h.');
  if (toMs === undefined)
    throw invalidInput('to', 'Must be RFC 3339, epoch ms, now, or relative such as -24h.');
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

export const readAggregates = (asked: readonly Aggregate[] | undefined): readonly Aggregate[] =>
  asked === undefined ? defaultAggregates : [...new Set(asked)];

/** JSON has no infinity, so a sum that is too large becomes null. */
export const numbersOf = (column: ArrayLike<number>): (number | null)[] =>
  Array.from(column, (number) => (Number.isFinite(number) ? number : null));

/** What the metadata knows of the series of a result. */
type SeriesNames = {
  readonly externalIds: ReadonlyMap<string, string>;
  readonly unitOf: (series: StoredSeries) => string | null;
};

const seriesJson = (series: StoredSeries, { externalIds, unitOf }: SeriesNames): string => {
  const { device, metric, kind, unit: _, ts, ...columns } = series;
  const plain = Object.entries(columns).map(([name, column]) => [
    name,
    column instanceof Float64Array ? numbersOf(column) : column,
  ]);
  return JSON.stringify({
    device,
    externalId: externalIds.get(device) ?? device,
    metric,
    kind,
    unit: unitOf(series),
    ts: [...ts],
    ...Object.fromEntries(plain),
  });
};

/** The result of a query as pieces of JSON, one per series, so that 500 series do not block other requests. */
export function* answerJson(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { bucketMs, series }: ReadResult,
  names: SeriesNames,
): Generator<string, void> {
  yield `{"from":${fromMs},"to":${toMs},"bucketMs":${bucketMs},"series":[`;
  for (const [i, one] of series.entries()) yield `${i === 0 ? '' : ','}${seriesJson(one, names)}`;
  yield ']}';
}
