/** Queries have literals, because parameters need ClickHouse 19.14 or newer. */
export const quoteText = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\0', '\\0')}'`;

/** A list for `in`. ClickHouse rejects an empty one. */
const listOf = (items: readonly string[], none: string): string =>
  `(${items.length === 0 ? none : items.join(',')})`;

export const textList = (texts: readonly string[]): string => listOf(texts.map(quoteText), "''");

/** IDs of series. No series has the ID 0. */
export const idList = (series: readonly { readonly id: bigint }[]): string =>
  listOf(
    series.map(({ id }) => String(id)),
    '0',
  );
