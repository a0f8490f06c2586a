import type { PipelineType } from '#contract/pipelines.ts';
import { formatSeconds } from '../../ui/format/format-duration.ts';
import { formatCount } from '../../ui/format/format-number.ts';

type Kind = PipelineType['kind'] | undefined;

const DAY_S = 86_400;

/** A short text of an interval; of an unknown type, only the duration. */
export const intervalInWords = (seconds: number, kind: Kind): string => {
  if (kind === 'pushed') return 'on arrival';
  return kind === 'polled' ? `every ${formatSeconds(seconds)}` : formatSeconds(seconds);
};

/** The text of an interval on its own. */
export const intervalAsSet = (seconds: number, kind: Kind, isExternal: boolean): string => {
  if (kind !== 'pushed') return readInterval(seconds, kind, isExternal);
  return isExternal ? `On arrival, in batches of up to ${formatSeconds(seconds)}` : 'On arrival';
};

/** Explains an interval: “Every 10 s: 8,640 a day.” `isExternal`: the destination is not the built-in store. */
export const readInterval = (seconds: number, kind: Kind, isExternal: boolean): string => {
  const length = formatSeconds(seconds);
  if (kind === 'pushed')
    return isExternal
      ? `Messages are processed on arrival. A batch waits at most ${length}.`
      : 'Messages are stored on arrival. The interval is the longest wait of a batch for an external destination.';
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
