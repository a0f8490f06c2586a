import { numberFormat } from './intl-formats.ts';

const PLAIN = { maximumFractionDigits: 3 } as const;
const COMPACT = { notation: 'compact', maximumFractionDigits: 1 } as const;
const EXACT = { maximumSignificantDigits: 15 } as const;
const SCIENTIFIC = { notation: 'scientific', maximumFractionDigits: 3 } as const;
const RATE = { maximumSignificantDigits: 2 } as const;

/** A count, in full: 12,345. */
export const formatCount = (count: number): string => numberFormat(PLAIN).format(count);

/** A count where room is short: 1.2M. */
export const formatCompact = (count: number): string =>
  numberFormat(count < 10_000 ? PLAIN : COMPACT).format(count);

/** A number with all its digits, for comparisons with what was sent. */
export const formatExactly = (value: number): string =>
  numberFormat(Math.abs(value) >= 1e15 ? SCIENTIFIC : EXACT).format(value);

/** A rate per second: a small one keeps its decimals. */
export const formatRate = (perSecond: number): string =>
  perSecond === 0
    ? '0'
    : perSecond < 10
      ? numberFormat(RATE).format(perSecond)
      : formatCompact(Math.round(perSecond));

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const BYTES = (['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const).map(
  (unit, power) =>
    ({
      style: 'unit',
      unit,
      unitDisplay: power === 0 ? 'long' : 'short',
      maximumSignificantDigits: 3,
    }) as const,
);

/** Bytes in decimal units, as disks are sold: 1.2 GB. */
export const formatBytes = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(BYTES.length - 1, Math.floor(Math.log10(bytes) / 3));
  return numberFormat(BYTES[power] ?? PLAIN).format(bytes / 1000 ** power);
};
