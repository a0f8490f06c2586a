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

const columnOf = <T extends keyof Schema & string>(ordering: Ordering<T>, sort: string): SortColumn<T> => {
  const column = ordering.columns[sort.replace(/^-/, '')];
  if (column === undefined) throw new TypeError(`No column for the sort ${sort}.`);
  return column;
};

const nameOf = <T extends keyof Schema & string>(column: SortColumn<T>): ColumnOf<T> =>
  'integer' in column ? column.integer : column.text;

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
  const type = 'integer' in columnOf(ordering, query.sort ?? ordering.fallback) ? 'integer' : 'text';
  return decode(query.cursor, bindingOf(ordering.id, query), type);
};

/** The cursor that continues a list after a row. */
export const cursorAfter = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  query: Query,
  row: object,
): string => {
  const column = columnOf(ordering, query.sort ?? ordering.fallback);
  const id = String(valueIn(row, ordering.id));
  return encode(bindingOf(ordering.id, query), valueIn(row, nameOf(column)), id);
};

type Page<O> = { rows: O[]; nextCursor: string | null; total?: number };

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

/**
 * Returns a page of a list by keyset: the rows after the cursor, never by offset. `rows`: the list with its filters and
 * all columns. `nextCursor` is null on the last page. `countAll`: for lists that know their length without counting.
 * @throws InvalidCursor
 */
export const pageBy = async <T extends keyof Schema & string, O extends object>(
  rows: SelectQueryBuilder<Schema, T, O>,
  ordering: Ordering<T>,
  query: ListQuery,
  countAll?: () => Promise<number>,
): Promise<Page<O>> => {
  const sort = query.sort ?? ordering.fallback;
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const column = columnOf(ordering, sort);
  let page = rows
    .orderBy(nameOf(column) as ReferenceExpression<Schema, T>, direction)
    .orderBy(ordering.id as ReferenceExpression<Schema, T>, direction)
    .limit(query.limit + 1);
  const after = positionOf(ordering, query);
  if (after !== undefined) {
    const operator = sql.raw(direction === 'asc' ? '>' : '<');
    // Both dialects use the index (column, id) for a row value comparison (SQL-92).
    const place = sql`(${sql.ref(nameOf(column))}, ${sql.ref(ordering.id)})`;
    page = page.where(sql<boolean>`${place} ${operator} (${after.key}, ${after.id})`);
  }
  const found = firstPageOf(await page.execute(), ordering, query);
  return query.total === true ? { ...found, total: await (countAll ?? (() => countRows(rows)))() } : found;
};

/** Returns a page of rows in memory, as `pageBy` does of a table. @throws InvalidCursor */
export const pageInMemory = <T extends keyof Schema & string, O extends object>(
  rows: readonly O[],
  ordering: Ordering<T>,
  query: ListQuery,
): Page<O> => {
  const sort = query.sort ?? ordering.fallback;
  const direction = sort.startsWith('-') ? -1 : 1;
  const column = columnOf(ordering, sort);
  const placeOf = (row: object) => ({
    key: valueIn(row, nameOf(column)),
    id: String(valueIn(row, ordering.id)),
  });
  const order = (a: ReturnType<typeof placeOf>, b: ReturnType<typeof placeOf>): number =>
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
