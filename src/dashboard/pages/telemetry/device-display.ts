import {
  acrossFunctions,
  defaultRankRule,
  parseRankRule,
  rankRules,
  type Across,
  type RankRule,
} from '#contract/across.ts';
import type { Aggregate, TelemetryAnswer } from '#contract/telemetry.ts';
import {
  CHARTED,
  MAX_NAMED_DEVICES,
  reductionIn,
  type SeriesRequest,
} from '../../resources/telemetry/telemetry-queries.ts';
import { counterAggregates, type CounterViews } from '../../resources/telemetry/counters.ts';

/** How several devices are shown: a line each, one line for all, or the lines that rank first. */
export type DeviceDisplay = { is: 'each' } | ChosenDisplay;
/** A display that differs from the automatic one. */
export type ChosenDisplay = { is: 'across'; across: Across } | { is: 'top'; top: number; by: RankRule };

export const topSizes = [5, 10, 20, 50] as const;
const DEFAULT_TOP = 20;
const MAX_TOP = 100;

const EACH: DeviceDisplay = { is: 'each' };
export const TOP = { is: 'top', top: DEFAULT_TOP, by: defaultRankRule } as const satisfies ChosenDisplay;
export const MEAN = { is: 'across', across: 'mean' } as const satisfies ChosenDisplay;

/** In the URL as in the API: `across=mean`, or `top=20&by=max`. Null: automatic. */
export const readDeviceDisplay = (params: URLSearchParams): ChosenDisplay | null => {
  const across = params.get('across');
  const known = acrossFunctions.find((name) => name === across);
  if (known !== undefined) return { is: 'across', across: known };
  const top = Number(params.get('top') ?? Number.NaN);
  if (!Number.isInteger(top) || top < 1 || top > MAX_TOP) return null;
  return { is: 'top', top, by: rankRules.find((rule) => rule === params.get('by')) ?? defaultRankRule };
};

export const deviceDisplayParams = (
  display: ChosenDisplay | null,
): Record<'across' | 'top' | 'by', string> => ({
  across: display?.is === 'across' ? display.across : '',
  top: display?.is === 'top' ? String(display.top) : '',
  by: display?.is === 'top' && display.by !== defaultRankRule ? display.by : '',
});

/** What is shown. More devices than a chart can have lines are ranked, unless something else is chosen. */
export const shownDisplay = (chosen: ChosenDisplay | null, deviceCount: number): DeviceDisplay =>
  chosen ?? (deviceCount > MAX_NAMED_DEVICES ? TOP : EACH);

/** The buckets of each device that are combined: a maximum is that of the highest values, not of means. */
export const combinedAggregate: Record<Across, Aggregate> = {
  mean: 'avg',
  min: 'min',
  max: 'max',
  sum: 'avg',
  count: 'count',
};

/** The aggregates that a display needs of each bucket. */
export const aggregatesFor = (display: DeviceDisplay, counters: CounterViews): readonly Aggregate[] =>
  display.is === 'across'
    ? [...new Set([combinedAggregate[display.across], ...counterAggregates(counters), 'count' as const])]
    : CHARTED;

/** The parameters of the API. */
export const reductionOf = (display: DeviceDisplay): SeriesRequest['reduction'] => {
  if (display.is === 'each') return undefined;
  return display.is === 'top' ? { top: display.top, by: display.by } : { across: display.across };
};

/** Whether two displays draw the same lines of the devices that both show. */
export const hasSameLines = (a: DeviceDisplay, b: DeviceDisplay): boolean =>
  (a.is === 'across' ? a.across : null) === (b.is === 'across' ? b.across : null);

/** How the devices of a response are shown, which may be that of the query before. */
export const displayIn = (answer: TelemetryAnswer | undefined): DeviceDisplay => {
  const reduction = reductionIn(answer);
  if (reduction === undefined) return EACH;
  return 'across' in reduction ? { is: 'across', ...reduction } : { is: 'top', ...reduction };
};

/** Whether values are numbers of devices, without the unit of their metric. */
export const countsDevices = (display: DeviceDisplay): boolean =>
  display.is === 'across' && display.across === 'count';

/** The lines of each metric, at most. */
export const lineCount = (display: DeviceDisplay, deviceCount: number): number =>
  display.is === 'across' ? 1 : display.is === 'top' ? display.top : deviceCount;

export const acrossWords: Record<Across, string> = {
  mean: 'Mean',
  min: 'Minimum',
  max: 'Maximum',
  sum: 'Sum',
  count: 'Devices with samples',
};

const rankingWords = {
  max: 'maximum',
  min: 'minimum',
  mean: 'mean',
  last: 'last value',
  sum: 'sum',
  count: 'number of samples',
  increase: 'increase',
} as const;

/** `maximum`, `lowest mean`. */
export const rankRuleText = (rule: RankRule): string => {
  const { ranking, isLowestFirst } = parseRankRule(rule);
  return isLowestFirst ? `lowest ${rankingWords[ranking]}` : rankingWords[ranking];
};
