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

const stale = (): Refusal =>
  new Refusal(
    'cursor-mismatch',
    'This cursor belongs to another list, filter or sort. Start again without a cursor.',
  );

/** What a cursor is bound to: the list, and everything of the query but where it stands and how many rows it wants. */
const bindingOf = (list: string, { limit: _, cursor: __, total: ___, ...rest }: ListQuery): string =>
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

/**
 * One page of a list by keyset: rows after the cursor in the order asked for, never by offset.
 * `rows` is the list with its filters; the page's rows come back with `nextCursor` (null on the last page).
 */
export const pageBy = async <T extends keyof Schema & string, O>(
  rows: SelectQueryBuilder<Schema, T, O>,
  ordering: Ordering<T>,
  query: ListQuery,
): Promise<{ rows: O[]; nextCursor: string | null; total?: number }> => {
  const sort = query.sort ?? ordering.fallback;
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  const column = ordering.columns[sort.replace(/^-/, '')];
  if (column === undefined) throw new TypeError(`There is no column for the sort ${sort}.`);
  const binding = bindingOf(ordering.id, query);
  // A row value comparison (SQL-92) is answered from the index (column, id) by both dialects.
  const [key, id] = [sql.ref<Scalar>(column), sql.ref<string>(ordering.id)];
  let page = rows
    .select([key.as('keyset_key'), id.as('keyset_id')])
    .orderBy(column as ReferenceExpression<Schema, T>, direction)
    .orderBy(ordering.id as ReferenceExpression<Schema, T>, direction)
    .limit(query.limit + 1);
  if (query.cursor !== undefined) {
    const after = decode(query.cursor, binding, sort);
    const operator = sql.raw(direction === 'asc' ? '>' : '<');
    page = page.where(sql<boolean>`(${key}, ${id}) ${operator} (${after.key}, ${after.id})`);
  }
  const found = (await page.execute()) as (O & { keyset_key: Scalar; keyset_id: string })[];
  const last = found.slice(0, query.limit).at(-1);
  const shown = found.slice(0, query.limit).map(({ keyset_key: _, keyset_id: __, ...row }) => row as O);
  const nextCursor =
    found.length > query.limit && last !== undefined
      ? encode(binding, last.keyset_key, last.keyset_id)
      : null;
  if (query.total !== true) return { rows: shown, nextCursor };
  const counted = await rows
    .clearSelect()
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirst();
  return { rows: shown, nextCursor, total: Number(counted?.total ?? 0) };
};

/** A literal, case-insensitive substring of a folded column. */
export const contains = (column: string, text: string) => {
  const pattern = `%${foldCase(text).replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  // PostgreSQL escapes with a backslash by itself, SQLite only where it is told.
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
};
