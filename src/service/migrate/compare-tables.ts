import { createHash } from 'node:crypto';
import type { PostgresPool } from '../platform/storage/dialects/postgres-pool.ts';
import type { DatabaseSync } from '../platform/storage/dialects/sqlite.ts';
import type { MigrationSteps } from './migration-steps.ts';
import { countRows, keyOf, listTables, quoted, readRows, type Row, type Table } from './source-tables.ts';

const ROWS_PER_PAGE = 500;

export type ComparedTable = { readonly table: string; readonly rows: number; readonly sha256: string };

/** `difference`: what differs, in a sentence; undefined: nothing. */
export type TableComparison = ComparedTable & { readonly difference: string | undefined };

/** Rows of PostgreSQL in the order of the bytes of the key, as in SQLite. */
async function* readPages(pool: PostgresPool, table: Table): AsyncGenerator<readonly Row[], void> {
  const { name, columns, key } = table;
  const { rows: types } = await pool.query<{ column: string; isText: boolean }>(
    `select attname as "column", atttypid = 'text'::regtype as "isText" from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0`,
    [name],
  );
  const texts = new Set(types.filter(({ isText }) => isText).map(({ column }) => column));
  const keys = key.map((column) => `"${column}"${texts.has(column) ? ' collate "C"' : ''}`).join(', ');
  const select = `select ${quoted(columns).join(', ')} from "${name}"`;
  const order = `order by ${keys} limit ${ROWS_PER_PAGE}`;
  const where = `where (${keys}) > (${key.map((_, i) => `$${i + 1}`).join(', ')})`;
  let after: Row | undefined;
  for (;;) {
    const { rows } = await pool.query<Record<string, string | number | null>>(
      `${select} ${after === undefined ? '' : where} ${order}`,
      after ?? [],
    );
    const page = rows.map((row) => columns.map((column) => row[column] ?? null));
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS_PER_PAGE) return;
    after = keyOf(table, last);
  }
}

/** Hashes rows and counts them. */
const createDigest = () => {
  const hash = createHash('sha256');
  let rows = 0;
  return {
    add: (line: string): void => {
      hash.update(line).update('\n');
      rows += 1;
    },
    end: () => ({ rows, sha256: hash.digest('hex') }),
  };
};

const compareTable = async (
  db: DatabaseSync,
  pool: PostgresPool,
  table: Table,
  steps: MigrationSteps,
): Promise<TableComparison> => {
  const [source, copy] = [createDigest(), createDigest()];
  const total = countRows(db, table);
  const rows = readRows(db, table, undefined);
  let firstDifference: Row | undefined;
  let done = 0;
  const takeSource = (other: string | undefined): boolean => {
    const next = rows.next();
    if (next.done === true) return false;
    const line = JSON.stringify(next.value);
    source.add(line);
    if (line !== other) firstDifference ??= keyOf(table, next.value);
    return true;
  };
  for await (const page of readPages(pool, table)) {
    for (const row of page) {
      const line = JSON.stringify(row);
      copy.add(line);
      if (!takeSource(line)) firstDifference ??= keyOf(table, row);
    }
    done += page.length;
    steps.complete({ phase: 'compared', table: table.name, done, total, unit: 'rows' });
  }
  while (takeSource(undefined));
  const [expected, found] = [source.end(), copy.end()];
  const isEqual = expected.sha256 === found.sha256 && expected.rows === found.rows;
  return {
    table: table.name,
    ...expected,
    difference: isEqual
      ? undefined
      : `${table.name} has ${found.rows.toLocaleString('en')} rows in PostgreSQL and ${expected.rows.toLocaleString('en')} in penstock.db; the first difference is at the key ${JSON.stringify(firstDifference)}.`,
  };
};

/** Compares every row of the metadata. */
export const compareTables = async (
  db: DatabaseSync,
  pool: PostgresPool,
  steps: MigrationSteps,
): Promise<TableComparison[]> => {
  const compared: TableComparison[] = [];
  for (const table of listTables(db)) compared.push(await compareTable(db, pool, table, steps));
  return compared;
};
