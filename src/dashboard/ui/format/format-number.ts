/** The operator's own separators; the words around numbers are English. */
const locale = navigator.language;

const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 });
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const exact = new Intl.NumberFormat(locale, { maximumSignificantDigits: 15 });
const scientific = new Intl.NumberFormat(locale, { notation: 'scientific', maximumFractionDigits: 3 });

/** A count, in full: 12,345. */
export const formatCount = (count: number): string => plain.format(count);

/** A count where room is short: 1.2M. */
export const formatCompact = (count: number): string => (count < 10_000 ? plain : compact).format(count);

/** A number with all its digits, for comparisons with what was sent. */
export const formatExactly = (value: number): string =>
  Math.abs(value) >= 1e15 ? scientific.format(value) : exact.format(value);

/** A rate per second: a small one keeps its decimals. */
export const formatRate = (perSecond: number): string =>
  perSecond === 0
    ? '0'
    : perSecond < 10
      ? perSecond.toLocaleString(locale, { maximumSignificantDigits: 2 })
      : formatCompact(Math.round(perSecond));

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** Bytes in decimal units, as disks are sold: 1.2 GB. */
export const formatBytes = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: BYTE_UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  }).format(bytes / 1000 ** power);
};
