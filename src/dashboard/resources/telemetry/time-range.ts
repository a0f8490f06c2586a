import { parseTime, toTimeText } from '#contract/time-range.ts';

/** The ranges that end now, as every page with a chart offers them. */
export const ranges = [
  { value: '15m', label: '15 min', ms: 900_000 },
  { value: '1h', label: '1 h', ms: 3_600_000 },
  { value: '6h', label: '6 h', ms: 21_600_000 },
  { value: '24h', label: '24 h', ms: 86_400_000 },
  { value: '7d', label: '7 d', ms: 604_800_000 },
  { value: '30d', label: '30 d', ms: 2_592_000_000 },
] as const;
export type Range = (typeof ranges)[number]['value'];

const DEFAULT_RANGE: Range = '1h';

export const rangeMs = (range: Range): number => ranges.find(({ value }) => value === range)?.ms ?? 3_600_000;

/** A range with fixed ends, in epoch ms. */
export type FixedRange = { fromMs: number; toMs: number };

/** The range in the URL: one that ends now, or (with `from` and `to`) a fixed one. */
export const readTimeRange = (params: URLSearchParams): { range: Range; fixedRange: FixedRange | null } => {
  const [fromMs, toMs] = [parseTime(params.get('from') ?? ''), parseTime(params.get('to') ?? '')];
  const isFixed = fromMs !== undefined && toMs !== undefined && fromMs < toMs;
  return {
    range: ranges.find(({ value }) => value === params.get('range'))?.value ?? DEFAULT_RANGE,
    fixedRange: isFixed ? { fromMs, toMs } : null,
  };
};

/** The URL parameters of a range; empty ones are left out. */
export const timeRangeParams = (range: Range, fixedRange: FixedRange | null): Record<string, string> => ({
  range: range === DEFAULT_RANGE ? '' : range,
  from: fixedRange === null ? '' : toTimeText(fixedRange.fromMs),
  to: fixedRange === null ? '' : toTimeText(fixedRange.toMs),
});

const MINUTE_MS = 60_000;

/** The ends for the API of a range, or of the range that is `shiftMs` earlier. For a range that ends now, this is in whole minutes. */
export const rangeEnds = (
  { range, fixedRange }: { range: Range; fixedRange: FixedRange | null },
  shiftMs = 0,
): { from: string; to: string } => {
  if (fixedRange !== null)
    return {
      from: toTimeText(fixedRange.fromMs - shiftMs),
      to: toTimeText(fixedRange.toMs - shiftMs),
    };
  if (shiftMs === 0) return { from: `-${range}`, to: 'now' };
  const [fromMs, toMs] = [rangeMs(range) + shiftMs, shiftMs];
  return { from: `-${fromMs / MINUTE_MS}m`, to: `-${toMs / MINUTE_MS}m` };
};
