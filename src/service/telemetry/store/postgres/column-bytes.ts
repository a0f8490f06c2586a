/** SQL that sends a column of a group as bytes. Reading a row for each sample would take ten times as long. */
export const doublesOf = (expression: string, order: string): string =>
  `string_agg(float8send((${expression})::float8), ''::bytea order by ${order})`;

/** SQL that sends a column of JSON texts as one JSON list. */
export const textsOf = (expression: string, order: string): string =>
  `'[' || string_agg(${expression}, ',' order by ${order}) || ']'`;

/** Reads what `doublesOf` sends; null: an empty group. */
export const readDoubles = (bytes: Buffer | null): Float64Array => {
  if (bytes === null) return new Float64Array();
  const column = new Float64Array(bytes.length / Float64Array.BYTES_PER_ELEMENT);
  const own = Buffer.from(column.buffer);
  bytes.copy(own);
  own.swap64();
  return column;
};

/** Reads what `textsOf` sends. */
export const readTexts = (list: string | null): readonly string[] =>
  list === null ? [] : (JSON.parse(list) as string[]);

/** A literal of a PostgreSQL array. The driver would take ten times as long to write one of numbers. */
export const numberArray = (numbers: ArrayLike<number>): string =>
  `{${Array.prototype.join.call(numbers, ',')}}`;
