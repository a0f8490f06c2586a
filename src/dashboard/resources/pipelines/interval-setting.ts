import { TELEMETRY, type PipelineType } from '#contract/pipelines.ts';
import { formatSeconds } from '../../ui/format/format-duration.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import { isSameDestination } from '../destinations/destination-state.tsx';

/** Whether the source is polled; undefined: an unknown type. */
export type SourceKind = PipelineType['kind'] | undefined;

const DAY_S = 86_400;

/** Whether the interval has an effect: the built-in store takes pushed messages on arrival. */
export const usesInterval = (kind: SourceKind, destination: string): boolean =>
  kind !== 'pushed' || !isSameDestination(destination, TELEMETRY);

/** Pushed messages are not polled: the interval is the longest time that a batch waits for its destination. */
export const intervalLabel = (kind: SourceKind): string => (kind === 'pushed' ? 'Maximum delay' : 'Interval');

/** An interval as a setting with a name; none if it has no effect. */
export const intervalFacts = (seconds: number, kind: SourceKind, destination: string) =>
  usesInterval(kind, destination)
    ? [
        {
          name: intervalLabel(kind),
          value: kind === 'pushed' ? formatSeconds(seconds) : readInterval(seconds, kind),
        },
      ]
    : [];

/** Explains an interval: “Every 10 s: 8,640 a day.” */
export const readInterval = (seconds: number, kind: SourceKind): string => {
  const length = formatSeconds(seconds);
  if (kind === 'pushed')
    return `Messages are accepted on arrival. Samples are delivered in batches, at most ${length} after arrival.`;
  const perDay = DAY_S / seconds;
  const about = Number.isInteger(perDay) ? '' : 'about ';
  return `Every ${length}: ${about}${formatCount(Math.round(perDay))} a day.`;
};

export const intervalUnits = [
  { value: 's', label: 'seconds', seconds: 1 },
  { value: 'min', label: 'minutes', seconds: 60 },
  { value: 'h', label: 'hours', seconds: 3_600 },
] as const;
export type IntervalUnit = (typeof intervalUnits)[number]['value'];

export const secondsIn = (unit: IntervalUnit): number =>
  intervalUnits.find(({ value }) => value === unit)?.seconds ?? 1;

/** Seconds in the largest unit that holds them whole. */
export const splitInterval = (seconds: number): { every: number; unit: IntervalUnit } => {
  const unit = intervalUnits.findLast(({ seconds: length }) => seconds % length === 0)?.value ?? 's';
  return { every: seconds / secondsIn(unit), unit };
};
