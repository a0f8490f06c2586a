import { formatDuration } from '../../ui/format/format-duration.ts';

const percent = new Intl.NumberFormat(navigator.language, {
  style: 'percent',
  maximumSignificantDigits: 2,
});

/** How much of what may wait does: “12%”; never nothing, nor all, where it is not. */
export const shareInWords = (bytes: number, limitBytes: number): string => {
  const share = bytes / limitBytes;
  if (share > 0 && share < 0.001) return `less than ${percent.format(0.001)}`;
  return percent.format(share >= 1 ? 1 : Math.min(share, 0.99));
};

/** A time that is estimated, in its largest unit: “about 3 h”. */
export const timeInWords = (seconds: number): string =>
  seconds < 5
    ? 'a few seconds'
    : seconds > 365 * 86_400
      ? 'more than a year'
      : `about ${formatDuration(seconds * 1_000)}`;
