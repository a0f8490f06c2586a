import { inPostgresTransaction, type PostgresPool } from '../platform/storage/dialects/postgres-pool.ts';
import type { DatabaseSync } from '../platform/storage/dialects/sqlite.ts';
import type { MigrationSteps } from './migration-steps.ts';
import { findPosition, savePosition } from './migration-record.ts';
import {
  countRows,
  keyOf,
  lastNumberOf,
  listTables,
  quoted,
  readRows,
  type Row,
  type Table,
} from './source-tables.ts';

/** What one transaction copies, whichever comes first: messages may have megabytes. */
const ROWS_PER_STEP = 1_000;
const TEXT_PER_STEP = 4_194_304;

const textLengthOf = (row: Row): number =>
  row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** The next rows after a key, as many as one transaction copies. */
const takeRows = (db: DatabaseSync, table: Table, after: Row | undefined): Row[] => {
  const rows: Row[] = [];
  let length = 0;
  for (const row of readRows(db, table, after)) {
    rows.push(row);
    length += textLengthOf(row);
    if (rows.length === ROWS_PER_STEP || length > TEXT_PER_STEP) break;
  }
  return rows;
};

/** A statement that inserts rows from an array for each column. */
const buildInsert = async (pool: PostgresPool, { name, columns }: Table): Promise<string> => {
  const { rows } = await pool.query<{ column: string; type: string }>(
    `select attname as "column", format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = to_regclass($1) and attnum > 0 and not attisdropped`,
    [name],
  );
  const types = new Map(rows.map(({ column, type }) => [column, type]));
  const missing = columns.find((column) => !types.has(column));
  if (missing !== undefined) throw new Error(`The table ${name} in PostgreSQL has no column ${missing}.`);
  const arrays = columns.map((column, i) => `$${i + 1}::${types.get(column)}[]`);
  return `insert into "${name}" (${quoted(columns).join(', ')}) select * from unnest(${arrays.join(', ')})`;
};

const copyTable = async (
  db: DatabaseSync,
  pool: PostgresPool,
  table: Table,
  steps: MigrationSteps,
): Promise<void> => {
  const insert = await buildInsert(pool, table);
  const saved = await findPosition(pool, table.name);
  let after = saved?.position as Row | undefined;
  let copied = saved?.rows ?? 0;
  const total = countRows(db, table);
  for (;;) {
    const rows = takeRows(db, table, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = keyOf(table, last);
    copied += rows.length;
    const position = { position: after, rows: copied };
    await inPostgresTransaction(pool, async (client) => {
      await client.query(
        insert,
        table.columns.map((_, i) => rows.map((row) => row[i])),
      );
      await savePosition(client, table.name, position);
    });
    steps.complete({ phase: 'copied', table: table.name, done: copied, total, unit: 'rows' });
  }
};

/** New rows continue the numbers of the source. */
const setSequence = async (db: DatabaseSync, pool: PostgresPool, table: Table): Promise<void> => {
  const last = lastNumberOf(db, table.name);
  if (last > 0)
    await pool.query('select setval(pg_get_serial_sequence($1, $2), $3)', [
      `"${table.name}"`,
      table.key[0],
      last,
    ]);
};

/** Copies the tables of the metadata. Skips rows that an earlier call has copied. */
export const copyTables = async (
  db: DatabaseSync,
  pool: PostgresPool,
  steps: MigrationSteps,
): Promise<void> => {
  for (const table of listTables(db)) {
    if (table.isDerived) continue;
    await copyTable(db, pool, table, steps);
    await setSequence(db, pool, table);
  }
  await pool.query('analyze');
};
