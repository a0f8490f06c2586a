import { numberFormat } from '../../ui/format/intl-formats.ts';

const PREFIXES = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;
/** Values of five digits and more get a prefix. */
const PREFIX_FROM = 10_000;

/** Units that take SI prefixes; others (°C, %, rpm, kW) do not. */
const PREFIXED_UNITS = new Set(
  'B B/s b b/s bit bit/s bps W Wh VA VAr V A Hz J Pa Ω F H N g m l L'.split(' '),
);

const NO_PREFIX = [1, ''] as const;

function prefixFor(size: number): readonly [number, string] {
  if (size < PREFIX_FROM) return NO_PREFIX;
  return PREFIXES.find(([factor]) => size >= factor) ?? NO_PREFIX;
}

/** A value without its unit: with six digits, or a number of decimals. */
export function formatNumber(value: number, locale?: string, decimals?: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) {
    return numberFormat({ notation: 'scientific', maximumSignificantDigits: 4 }, locale).format(value);
  }
  if (decimals !== undefined) {
    return numberFormat({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }, locale).format(
      value,
    );
  }
  if (size >= 100_000) return numberFormat({ maximumFractionDigits: 0 }, locale).format(value);
  return numberFormat({ maximumSignificantDigits: 6 }, locale).format(value);
}

/** How the values of a metric are written. `decimals`: null or undefined for as many as a value needs. */
export interface ValueFormat {
  unit: string | null;
  decimals?: number | null | undefined;
}

/** A value with its unit: `21.4 °C`, `87 %`, `8.235 GB`. */
export function formatValue(value: number, { unit, decimals }: ValueFormat, locale?: string): string {
  const fixed = decimals ?? undefined;
  if (unit === null || unit === '') return formatNumber(value, locale, fixed);
  // Decimals count in the unit itself: after a prefix they would drop digits.
  const [factor, prefix] = fixed === undefined ? unitPrefix(Math.abs(value), unit) : NO_PREFIX;
  if (factor === 1) return `${formatNumber(value, locale, fixed)}\u00a0${unit}`;
  const scaled = numberFormat({ maximumSignificantDigits: 4 }, locale).format(value / factor);
  return `${scaled}\u00a0${prefix}${unit}`;
}

/** The maximum number of decimals of `toFixed`. */
const MAX_DECIMALS = 100;

/** The decimals that show three digits of a difference, in the unit of `factor`. */
const decimalsWithin = (difference: number, factor: number): number =>
  difference > 0
    ? Math.min(MAX_DECIMALS, Math.max(0, 2 - Math.floor(Math.log10(difference / factor))))
    : MAX_DECIMALS;

const roundTo = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** The significant digits of a double. */
const MAX_DIGITS = 15;

/**
 * Values in one format, the minimum and the maximum first, with three digits of their difference. The unit is
 * separate, for the end of “3 to 87 %”, unless the values need different SI prefixes.
 */
export function formatTogether(
  values: readonly [number, number, ...number[]],
  { unit, decimals }: ValueFormat,
  locale?: string,
): { texts: string[]; suffix: string } {
  const fixed = decimals ?? undefined;
  const scales = values.map((value) =>
    fixed === undefined ? unitPrefix(Math.abs(value), unit ?? '') : NO_PREFIX,
  );
  const [factor, prefix] = scales[0] ?? NO_PREFIX;
  if (scales.some(([other]) => other !== factor))
    return { texts: values.map((value) => formatValue(value, { unit, decimals }, locale)), suffix: '' };
  const needed = decimalsWithin(values[1] - values[0], factor);
  let texts = values.map((value) =>
    formatNumber(fixed === undefined ? roundTo(value / factor, needed) : value / factor, locale, fixed),
  );
  for (let digits = 7; texts[0] === texts[1] && digits <= MAX_DIGITS; digits += 1) {
    const finer = numberFormat({ maximumSignificantDigits: digits }, locale);
    texts = values.map((value) => finer.format(value / factor));
  }
  return { texts, suffix: unit === null || unit === '' ? '' : `\u00a0${prefix}${unit}` };
}

/**
 * A mean and its range, with one SI prefix. Means have no number of digits of their own, so they are rounded as finely
 * as an axis with ticks at `step` can show.
 */
export function formatMean(
  mean: { value: number; low: number; high: number },
  { unit, decimals: fixed }: ValueFormat,
  step: number,
  locale?: string,
): { value: string; range: string } {
  const isFixed = fixed !== undefined && fixed !== null;
  const size = Math.max(Math.abs(mean.low), Math.abs(mean.high));
  const [factor, prefix] = isFixed ? NO_PREFIX : unitPrefix(size, unit ?? '');
  const decimals = fixed ?? Math.min(12, Math.max(0, 2 - Math.floor(Math.log10(step / factor))));
  const text = (value: number) => formatNumber(value / factor, locale, decimals);
  const suffix = `${prefix}${unit ?? ''}`;
  return {
    value: suffix === '' ? text(mean.value) : `${text(mean.value)}\u00a0${suffix}`,
    range: mean.low < mean.high ? `${text(mean.low)}–${text(mean.high)}` : '',
  };
}

/** The digits of a value without set decimals, and of one with a prefix. */
const DIGITS = 6;
const PREFIXED_DIGITS = 4;

/** The decimals of a value. Tiny and huge ones are written with a power of ten. */
const decimalsIn = (value: number): number =>
  Math.abs(value) < 1e-4 || Math.abs(value) >= 1e15 ? 0 : (String(value).split('.')[1]?.length ?? 0);

/** A mean with one decimal more than the values that it lies between. Not rounded if its decimals are set. */
export function roundedMean(
  mean: number,
  values: readonly number[],
  { decimals }: Pick<ValueFormat, 'decimals'>,
): number {
  // Tiny values are written with a power of ten.
  const isTiny = values.some((value) => value !== 0 && Math.abs(value) < 1e-4);
  if (decimals != null || isTiny) return mean;
  return roundTo(mean, Math.min(12, 1 + Math.max(...values.map(decimalsIn))));
}

/**
 * Values with the same SI prefix and the same decimals: as many as show three digits of `range` (0: all), as far as one
 * of the values needs them. A value with another prefix is written alone.
 */
export function alignedTexts(
  values: readonly number[],
  range: number,
  { unit, decimals }: ValueFormat,
  locale?: string,
): string[] {
  if (decimals != null) return values.map((value) => formatValue(value, { unit, decimals }, locale));
  const prefixOf = (value: number) => unitPrefix(Math.abs(value), unit ?? '');
  const [factor, prefix] = prefixOf(Math.max(...values.map(Math.abs)));
  const isAligned = (value: number) => prefixOf(value)[0] === factor;
  const most = decimalsWithin(range, factor);
  const digits = factor === 1 ? DIGITS : PREFIXED_DIGITS;
  const needed = values
    .filter(isAligned)
    .map((value) => decimalsIn(Number(roundTo(value / factor, most).toPrecision(digits))));
  const suffix = unit === null || unit === '' ? '' : `\u00a0${prefix}${unit}`;
  return values.map((value) =>
    isAligned(value)
      ? `${formatNumber(roundTo(value / factor, most), locale, Math.max(...needed))}${suffix}`
      : formatValue(value, { unit }, locale),
  );
}

const unitPrefix = (size: number, unit: string): readonly [number, string] =>
  PREFIXED_UNITS.has(unit) ? prefixFor(size) : NO_PREFIX;

/** Formats the ticks of an axis with one prefix and the decimals that the step needs. */
export function tickFormat(
  ticks: readonly number[],
  step: number,
  locale?: string,
): (value: number) => string {
  const size = Math.max(...ticks.map(Math.abs));
  if (size >= 1e18 || size < 1e-4) {
    const scientific = numberFormat({ notation: 'scientific', maximumSignificantDigits: 3 }, locale);
    return (value) => (value === 0 ? '0' : scientific.format(value));
  }
  const [factor, prefix] = prefixFor(size);
  const decimals = decimalsOf(step / factor);
  const number = numberFormat({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }, locale);
  return (value) => (value === 0 ? '0' : `${number.format(value / factor)}${prefix}`);
}

/** The decimals that distinguish neighbouring ticks: two for 0.25, none for 20. */
function decimalsOf(step: number): number {
  for (let decimals = 0; decimals < 12; decimals += 1) {
    const scaled = step * 10 ** decimals;
    if (Math.abs(scaled - Math.round(scaled)) < 1e-6 * scaled) return decimals;
  }
  return 12;
}
