import { countsDevices, type DeviceDisplay } from './device-display.ts';
import { rangeMs, type FixedRange, type Range } from '../../resources/telemetry/time-range.ts';
import { shownAs, type ChosenViews, type CounterViews } from '../../resources/telemetry/counters.ts';

/** The earlier period that a chart is compared with: the one just before, the same time a day or a week earlier. */
export const comparisons = ['previous', 'day', 'week'] as const;
export type Comparison = (typeof comparisons)[number];

const DAY_MS = 86_400_000;

/** How much earlier the compared period is, for a range of a width. */
const comparisonShiftMs = (comparison: Comparison, widthMs: number): number =>
  ({ previous: widthMs, day: DAY_MS, week: 7 * DAY_MS })[comparison];

/** How much earlier the period is that a view is compared with. */
export const earlierByMs = (
  comparison: Comparison,
  { range, fixedRange }: { range: Range; fixedRange: FixedRange | null },
): number =>
  comparisonShiftMs(comparison, fixedRange === null ? rangeMs(range) : fixedRange.toMs - fixedRange.fromMs);

/** As it follows the label of a series. */
export const comparisonWords: Record<Comparison, string> = {
  previous: 'previous period',
  day: 'a day earlier',
  week: 'a week earlier',
};

/** A horizontal line in the chart of a metric. */
export type ReferenceLine = { metric: string; value: number; label: string };

export const MAX_LINES = 8;
export const MAX_LINE_LABEL = 60;

/** Without lines whose axis is not that of their metric, but of an increase, a rate or a number of devices. */
export const drawnLines = (
  lines: readonly ReferenceLine[],
  counters: CounterViews,
  display: DeviceDisplay,
): ReferenceLine[] => (countsDevices(display) ? [] : lines.filter(({ metric }) => !counters.has(metric)));

/** In the URL: `line=temperature,80,Limit`. Names of metrics have no commas. */
export const lineText = ({ metric, value, label }: ReferenceLine): string => `${metric},${value},${label}`;

export const readLine = (text: string): ReferenceLine | null => {
  const [metric = '', number = '', ...label] = text.split(',');
  const value = Number(number);
  if (metric === '' || number.trim() === '' || !Number.isFinite(value)) return null;
  return { metric, value, label: label.join(',').slice(0, MAX_LINE_LABEL) };
};

/** In the URL: `as=energy,rate-h`. */
export const chosenViewTexts = (views: ChosenViews): string[] =>
  [...views].map(([metric, view]) => `${metric},${view}`);

export const readChosenViews = (texts: readonly string[]): ChosenViews =>
  new Map(
    texts.flatMap((text) => {
      const comma = text.lastIndexOf(',');
      const view = shownAs.find((each) => each === text.slice(comma + 1));
      return comma > 0 && view !== undefined ? [[text.slice(0, comma), view] as const] : [];
    }),
  );
