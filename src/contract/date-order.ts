/** A date whose year is last, and a time of day: `7.11.2026 9:05:00`, `28/11/26 17:55`, `11-28-2026, 5:55 PM`. */
const YEAR_LAST = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d\d)(?:T|,?\s)\d{1,2}:\d\d/i;

/** Which number of a date whose year is last comes first. */
export type DateOrder = 'day-first' | 'month-first';

/** `date`: the date in this order, such as `2026-04-03`. */
type DatedOrder = { readonly order: DateOrder; readonly date: string };

const pad = (number: string): string => number.padStart(2, '0');

/** The orders in which a date and time can be read. Empty: it is no date whose year is last. Dots are only used with the day first. */
export const dateOrdersOf = (value: unknown): DatedOrder[] => {
  const [, first = '', dot, second = '', year = ''] =
    typeof value === 'string' ? (YEAR_LAST.exec(value) ?? []) : [];
  const isMonth = (text: string) => Number(text) >= 1 && Number(text) <= 12;
  const inOrder = (order: DateOrder, month: string, day: string): DatedOrder[] =>
    isMonth(month) ? [{ order, date: `${year.padStart(4, '20')}-${pad(month)}-${pad(day)}` }] : [];
  return [
    ...inOrder('day-first', second, first),
    ...(dot === '.' || first === second ? [] : inOrder('month-first', first, second)),
  ];
};

/** The order of a date and time that has only one. */
export const onlyOrderOf = (value: unknown): DateOrder | undefined => {
  const [first, ...others] = dateOrdersOf(value);
  return others.length === 0 ? first?.order : undefined;
};

/**
 * JSONata that puts the year of a time at a path first, as Penstock reads it, in the time zone of the pipeline. Other values
 * stay as they are. `value`: a time in the notation.
 */
export const yearFirstText = (path: string, order: DateOrder, value: unknown): string => {
  const isShort = YEAR_LAST.exec(String(value))?.[4]?.length === 2;
  const pattern = String.raw`/^(\d\d?)[.\/-](\d\d?)[.\/-](\d\d${isShort ? '' : '\\d\\d'})(?!\d)/`;
  const date = `${isShort ? '20' : ''}$3-${order === 'day-first' ? '$2-$1' : '$1-$2'}`;
  return `$type(${path}) = "string" ? $replace(${path}, ${pattern}, "${date}") : ${path}`;
};
