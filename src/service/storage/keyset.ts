import { createHash } from 'node:crypto';
import { sql, type ReferenceExpression, type SelectQueryBuilder } from 'kysely';
import { foldCase } from '#contract/text.ts';
import { Refusal } from '../http/refusal.ts';
import type { Schema } from './database.ts';

type Scalar = string | number;

/**
 * How one list is ordered: each sort's column (never null; a number where the sort is of a time: `at`, or one that ends in
 * `At`; text otherwise), the default sort, and the id that breaks ties.
 */
export type Ordering<T extends keyof Schema & string> = {
  columns: Record<string, `${T}.${keyof Schema[T] & string}`>;
  fallback: string;
  id: `${T}.${keyof Schema[T] & string}`;
};

type ListQuery = {
  limit: number;
  cursor?: string | undefined;
  sort?: string | undefined;
  total?: boolean | undefined;
};

/** Of a list, with its filters. */
type Query = Partial<ListQuery> & { readonly [filter: string]: unknown };

const stale = (): Refusal =>
  new Refusal(
    'cursor-mismatch',
    'This cursor belongs to another list, filter or sort. Start again without a cursor.',
  );

/** What a cursor is bound to: the list, and everything of the query but where it stands and how many rows it wants. */
const bindingOf = (list: string, { limit: _, cursor: __, total: ___, ...rest }: Partial<ListQuery>): string =>
  createHash('sha256')
    .update(JSON.stringify([list, Object.entries(rest).toSorted(([a], [b]) => (a < b ? -1 : 1))]))
    .digest('base64url')
    .slice(0, 12);

const encode = (binding: string, key: Scalar, id: string): string =>
  Buffer.from(JSON.stringify([binding, key, id])).toString('base64url');

const decode = (cursor: string, binding: string, sort: string): { key: Scalar; id: string } => {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw stale();
  }
  const [given, key, id] = Array.isArray(parts) ? (parts as unknown[]) : [];
  const isOfSort = /(?:^-?at|At)$/.test(sort) ? Number.isSafeInteger(key) : typeof key === 'string';
  if (given !== binding || typeof id !== 'string' || !isOfSort) throw stale();
  return { key: key as Scalar, id };
};

const columnOf = <T extends keyof Schema & string>(ordering: Ordering<T>, sort: string) => {
  const column = ordering.columns[sort.replace(/^-/, '')];
  if (column === undefined) throw new TypeError(`There is no column for the sort ${sort}.`);
  return column;
};

/** The cursor of what comes behind a row of a list. */
export const cursorBehind = <T extends keyof Schema & string>(
  ordering: Ordering<T>,
  query: Query,
  row: object,
): string => {
  const valueOf = (name: string): Scalar =>
    (row as Record<string, Scalar>)[name.slice(name.indexOf('.') + 1)] ?? '';
  const column = columnOf(ordering, query.sort ?? ordering.fallback);
  return encode(bindingOf(ordering.id, query), valueOf(column), String(valueOf(ordering.id)));
};

/**
 * One page of a list by keyset: rows after the cursor in the order asked for, never by offset.
 * `rows` is the list with its filters, all columns selected; the page's rows come back with `nextCursor` (null on the
 * last page). `countAll` is for a list that knows how long it is without counting.
 */
export const pageBy = async <T extends keyof Schema & string, O extends object>(
  rows: SelectQueryBuilder<Schema, T, O>,
  ordering: Ordering<T>,
  query: ListQuery,
  countAll?: () => Promise<number>,
): Promise<{ rows: O[]; nextCursor: string | null; total?: number }> => {
  const sort = query.sort ?? ordering.fallback;
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const column = columnOf(ordering, sort);
  let page = rows
    .orderBy(column as ReferenceExpression<Schema, T>, direction)
    .orderBy(ordering.id as ReferenceExpression<Schema, T>, direction)
    .limit(query.limit + 1);
  if (query.cursor !== undefined) {
    const after = decode(query.cursor, bindingOf(ordering.id, query), sort);
    const operator = sql.raw(direction === 'asc' ? '>' : '<');
    // A row value comparison (SQL-92) is answered from the index (column, id) by both dialects.
    const place = sql`(${sql.ref(column)}, ${sql.ref(ordering.id)})`;
    page = page.where(sql<boolean>`${place} ${operator} (${after.key}, ${after.id})`);
  }
  const found: O[] = await page.execute();
  const isLast = found.length <= query.limit;
  if (!isLast) found.pop();
  const last = found.at(-1);
  const nextCursor = isLast || last === undefined ? null : cursorBehind(ordering, query, last);
  if (query.total !== true) return { rows: found, nextCursor };
  return { rows: found, nextCursor, total: await (countAll ?? (() => countRows(rows)))() };
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

/** A literal, case-insensitive substring of a folded column. */
export const contains = (column: string, text: string) => {
  const pattern = `%${foldCase(text).replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  // PostgreSQL escapes with a backslash by itself, SQLite only where it is told.
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
};
