import { hash } from 'node:crypto';
import { sql, type ReferenceExpression, type SelectQueryBuilder } from 'kysely';
import type { Schema } from './database.ts';

type Scalar = string | number;

type ColumnOf<T extends keyof Schema & string> = `${T}.${keyof Schema[T] & string}`;

/** A column to sort a list by, under the type of its values. The column is never null. */
type SortColumn<T extends keyof Schema & string> =
  | { readonly text: ColumnOf<T> }
  | { readonly integer: ColumnOf<T> };

/** How one list is ordered: the column of each sort, the default sort, and the id that breaks ties. */
export type Ordering<T extends keyof Schema & string> = {
  readonly columns: Readonly<Record<string, SortColumn<T>>>;
  readonly fallback: string;
  readonly id: ColumnOf<T>;
};

type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  sort?: string | undefined;
  total?: boolean | undefined;
};

/** The query of a list with its filters. */
type Query = Partial<ListQuery> & { readonly [filter: string]: unknown };

/** The cursor does not belong to this list with these filters and this sort. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/** What a cursor is bound to: the list, and the query without its cursor, limit and total. */
const bindingOf = (list: string, { limit: _, cursor: __, total: ___, ...rest }: Partial<ListQuery>): string =>
  hash(
    'sha256',
    JSON.stringify([list, Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1))]),
    'base64url',
  ).slice(0, 12);

const encode = (binding: string, key: Scalar, id: string): string =>
  Buffer.from(JSON.stringify([binding, key, id])).toString('base64url');

const isCell = (type: 'integer' | 'text', key: unknown): key is Scalar =>
  type === 'integer' ? Number.isSafeInteger(key) : typeof key === 'string';

/** @throws InvalidCursor */
const decode = (cursor: string, binding: string, type: 'integer' | 'text'): Position => {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw new InvalidCursor();
  }
  const [given, key, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (given !== binding || typeof id !== 'string' || !isCell(type, key)) throw new InvalidCursor();
  return { key, id };
};

/** The sort of a query without its direction. */
export const sortNameOf = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  { sort = ordering.fallback }: Query,
): string => sort.replace(/^-/, '');

const columnOf = <T extends keyof Schema & string>(ordering: Ordering<T>, query: Query): SortColumn<T> => {
  const name = sortNameOf(ordering, query);
  const column = ordering.columns[name];
  if (column === undefined) throw new TypeError(`No column for the sort ${name}.`);
  return column;
};

const nameOf = <T extends keyof Schema & string>(column: SortColumn<T>): ColumnOf<T> =>
  'integer' in column ? column.integer : column.text;

export const isDescending = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  { sort = ordering.fallback }: Query,
): boolean => sort.startsWith('-');

/** The column that a query sorts by. */
export const sortColumnOf = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  query: Query,
): ColumnOf<T> => nameOf(columnOf(ordering, query));

const valueIn = (row: object, name: string): Scalar =>
  (row as Record<string, Scalar>)[name.slice(name.indexOf('.') + 1)] ?? '';

const compare = (a: Scalar, b: Scalar): number => (a < b ? -1 : a > b ? 1 : 0);

/** The sort value and the ID of the row after which a page begins. */
export type Position = { key: Scalar; id: string };

/** The position of the cursor of a query; undefined: the list begins. @throws InvalidCursor */
export const positionOf = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  query: Query,
): Position | undefined => {
  if (query.cursor === undefined) return undefined;
  const type = 'integer' in columnOf(ordering, query) ? 'integer' : 'text';
  return decode(query.cursor, bindingOf(ordering.id, query), type);
};

/** The position of a row in a list. `row` has the column of the sort, and the ID. */
export const positionIn = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  query: Query,
  row: object,
): Position => ({
  key: valueIn(row, sortColumnOf(ordering, query)),
  id: String(valueIn(row, ordering.id)),
});

/** The cursor that continues a list after a row. */
export const cursorAfter = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  query: Query,
  row: object,
): string => {
  const { key, id } = positionIn(ordering, query, row);
  return encode(bindingOf(ordering.id, query), key, id);
};

export type Page<O> = { rows: O[]; nextCursor: string | null; total?: number };

/** `found`: the rows after the cursor, with at least one more than `limit` if another page follows. */
export const firstPageOf = <T extends keyof Schema & string, O extends object>(
  found: readonly O[],
  ordering: Ordering<T>,
  query: ListQuery,
): Page<O> => {
  const rows = found.slice(0, query.limit);
  const last = rows.at(-1);
  const nextCursor =
    last === undefined || found.length === rows.length ? null : cursorAfter(ordering, query, last);
  return { rows, nextCursor };
};

/** The rows after one position, up to and with another one, in the order of a list. */
export const rowsBetween = <T extends keyof Schema & string, O>(
  rows: SelectQueryBuilder<Schema, T, O>,
  ordering: Ordering<T>,
  query: Query,
  { after, until }: { after: Position | undefined; until?: Position | undefined },
): SelectQueryBuilder<Schema, T, O> => {
  const direction = isDescending(ordering, query) ? 'desc' : 'asc';
  const key = sortColumnOf(ordering, query);
  // Both dialects use the index (column, id) for a row value comparison (SQL-92).
  const compared = (operator: string, position: Position) =>
    sql<boolean>`(${sql.ref(key)}, ${sql.ref(ordering.id)}) ${sql.raw(operator)} (${position.key}, ${position.id})`;
  let between = rows
    .orderBy(key as ReferenceExpression<Schema, T>, direction)
    .orderBy(ordering.id as ReferenceExpression<Schema, T>, direction);
  if (after !== undefined) between = between.where(compared(direction === 'asc' ? '>' : '<', after));
  if (until !== undefined) between = between.where(compared(direction === 'asc' ? '<=' : '>=', until));
  return between;
};

/**
 * Returns a page of a list by keyset: the rows after the cursor, never by offset. `rows`: the list with its filters and
 * all columns. `nextCursor` is null on the last page. `countAll`: for lists that may know their length without counting.
 * @throws InvalidCursor
 */
export const pageBy = async <T extends keyof Schema & string, O extends object>(
  rows: SelectQueryBuilder<Schema, T, O>,
  ordering: Ordering<T>,
  query: ListQuery,
  countAll: () => Promise<number | undefined> = async () => undefined,
): Promise<Page<O>> => {
  const page = rowsBetween(rows, ordering, query, { after: positionOf(ordering, query) }).limit(
    query.limit + 1,
  );
  const found = firstPageOf(await page.execute(), ordering, query);
  return query.total === true ? { ...found, total: (await countAll()) ?? (await countRows(rows)) } : found;
};

/** Returns a page of rows in memory, as `pageBy` does of a table. @throws InvalidCursor */
export const pageInMemory = <T extends keyof Schema & string, O extends object>(
  rows: readonly O[],
  ordering: Ordering<T>,
  query: ListQuery,
): Page<O> => {
  const direction = isDescending(ordering, query) ? -1 : 1;
  const placeOf = (row: object) => positionIn(ordering, query, row);
  const order = (a: Position, b: Position): number =>
    direction * (compare(a.key, b.key) || compare(a.id, b.id));
  const after = positionOf(ordering, query);
  const found = rows
    .map((row) => ({ row, place: placeOf(row) }))
    .filter(({ place }) => after === undefined || order(place, after) > 0)
    .toSorted((a, b) => order(a.place, b.place))
    .map(({ row }) => row);
  return { ...firstPageOf(found, ordering, query), ...(query.total === true && { total: rows.length }) };
};

const countRows = async <T extends keyof Schema & string, O>(
  rows: SelectQueryBuilder<Schema, T, O>,
): Promise<number> => {
  const counted = await rows
    .clearSelect()
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirst();
  return Number(counted?.total ?? 0);
};
