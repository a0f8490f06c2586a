import type { DatabaseSync, SQLOutputValue } from '../platform/storage/dialects/sqlite.ts';
import { storableText } from '../platform/storage/storable-text.ts';

export type Table = {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Triggers of PostgreSQL fill it while the other tables are copied. */
  readonly isDerived: boolean;
};

/** The values of a row, in the order of the columns. */
export type Row = readonly (string | number | null)[];

const DERIVED = new Set(['device_count', 'device_facet', 'device_facet_size']);

/** A table that PostgreSQL does not have. */
const SQLITE_ONLY = 'device_place';

const namesOf = (db: DatabaseSync, query: string, ...parameters: string[]): string[] =>
  db
    .prepare(query)
    .all(...parameters)
    .map(({ name }) => String(name));

export const quoted = (names: readonly string[]): string[] => names.map((name) => `"${name}"`);

/** The tables of the metadata, each after those that it refers to. */
export const listTables = (db: DatabaseSync): Table[] => {
  // Tables of an index (fts5) are virtual or shadows.
  const names = namesOf(
    db,
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
     AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'kysely\\_%' ESCAPE '\\' AND name <> '${SQLITE_ONLY}'
     ORDER BY name`,
  );
  const ordered = new Set<string>();
  const add = (table: string): void => {
    if (ordered.has(table)) return;
    const parents = namesOf(db, 'SELECT "table" AS name FROM pragma_foreign_key_list(?)', table);
    for (const parent of parents) if (parent !== table) add(parent);
    ordered.add(table);
  };
  names.forEach(add);
  return [...ordered].map((name) => ({
    name,
    columns: namesOf(db, 'SELECT name FROM pragma_table_info(?) ORDER BY cid', name),
    key: namesOf(db, 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk', name),
    isDerived: DERIVED.has(name),
  }));
};

export const countRows = (db: DatabaseSync, { name }: Table): number =>
  Number(db.prepare(`SELECT count(*) AS n FROM "${name}"`).get()?.['n']);

/** The highest number that a counting key ever had; 0: none. */
export const lastNumberOf = (db: DatabaseSync, table: string): number =>
  Number(db.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table)?.['seq'] ?? 0);

/** A value as PostgreSQL can store it. */
const storable = (value: SQLOutputValue): string | number | null =>
  typeof value === 'string' ? storableText(value) : (value as number | null);

/** Rows in the order of the key, after a position in it. Reads them lazily. */
export function* readRows(
  db: DatabaseSync,
  { name, columns, key }: Table,
  after: Row | undefined,
): Generator<Row, void> {
  const keys = quoted(key).join(', ');
  const where = after === undefined ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
  const statement = db.prepare(
    `SELECT ${quoted(columns).join(', ')} FROM "${name}" ${where} ORDER BY ${keys}`,
  );
  statement.setReturnArrays(true);
  for (const values of statement.iterate(...(after ?? [])) as Iterable<unknown>)
    yield (values as SQLOutputValue[]).map(storable);
}

export const keyOf = ({ columns, key }: Table, row: Row): Row =>
  key.map((column) => row[columns.indexOf(column)] ?? null);
