/** The operator's own separators; the words around numbers are English. */
const locale = navigator.language;

const PLAIN = { maximumFractionDigits: 3 } as const;
const COMPACT = { notation: 'compact', maximumFractionDigits: 1 } as const;
const EXACT = { maximumSignificantDigits: 15 } as const;
const SCIENTIFIC = { notation: 'scientific', maximumFractionDigits: 3 } as const;
const RATE = { maximumSignificantDigits: 2 } as const;

const formats = new Map<Intl.NumberFormatOptions, Intl.NumberFormat>();
/** Created on first use: each takes milliseconds, which the first page would wait for. */
const formatOf = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  const known = formats.get(options);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(locale, options);
  formats.set(options, made);
  return made;
};

/** A count, in full: 12,345. */
export const formatCount = (count: number): string => formatOf(PLAIN).format(count);

/** A count where room is short: 1.2M. */
export const formatCompact = (count: number): string =>
  formatOf(count < 10_000 ? PLAIN : COMPACT).format(count);

/** A number with all its digits, for comparisons with what was sent. */
export const formatExactly = (value: number): string =>
  formatOf(Math.abs(value) >= 1e15 ? SCIENTIFIC : EXACT).format(value);

/** A rate per second: a small one keeps its decimals. */
export const formatRate = (perSecond: number): string =>
  perSecond === 0
    ? '0'
    : perSecond < 10
      ? formatOf(RATE).format(perSecond)
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
  return formatOf(BYTES[power] ?? PLAIN).format(bytes / 1000 ** power);
};
