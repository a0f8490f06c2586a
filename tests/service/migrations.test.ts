import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '#service/platform/storage/database.ts';
import { integrityProblems, type DatabaseSync } from '#service/platform/storage/dialects/sqlite.ts';
import { sqliteDialect } from '#service/platform/storage/dialects/sqlite-dialect.ts';
import { createEarlierDatabase, MINUTE, versions } from './earlier-database.ts';
import { withSqlite } from './with-sqlite.ts';

/** Columns whose values a migration changes, or that it removes: the sort key of names, words of states, and claims. */
const CHANGED: Record<string, readonly string[]> = {
  device: ['name_key'],
  destination: ['state'],
  webhook: ['state', 'busy_until'],
  event: ['data'],
};
/** Tables that a migration replaces, and tables of Penstock's libraries. */
const REPLACED = /^(?:pipeline_minute|service_minute|device_search.*|kysely_.*|sqlite_.*)$/;

let folder: string;
let latestSchema: unknown;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'penstock-migrations-'));
  latestSchema = withSqlite(await migrate('latest.db'), schemaOf);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const migrate = async (name: string): Promise<string> => {
  const path = join(folder, name);
  await (await openDatabase(sqliteDialect(path))).destroy();
  return path;
};

/** Added columns are last in an old table, so the order of columns does not matter. */
const schemaOf = (db: DatabaseSync) => ({
  columns: db
    .prepare(
      `SELECT t.name AS "table", c.name, c.type, c."notnull", c.dflt_value, c.pk
       FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, 2`,
    )
    .all(),
  others: db
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY type, name")
    .all(),
});

type Tables = Record<string, Record<string, unknown>[]>;

const rowsOf = (db: DatabaseSync): Tables =>
  Object.fromEntries(
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !REPLACED.test(name))
      .map((name) => [name, db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()]),
  );

/** The rows of the tables and columns that `before` has, without columns that a migration changes. */
const comparable = (rows: Tables, before: Tables): Tables =>
  Object.fromEntries(
    Object.entries(before).map(([table, [first]]) => [
      table,
      rows[table]!.map((row) =>
        Object.fromEntries(
          Object.keys(first ?? {})
            .filter((column) => !(CHANGED[table] ?? []).includes(column))
            .map((column) => [column, row[column]]),
        ),
      ),
    ]),
  );

describe.each(versions)('a database of version %s', (version) => {
  const since = (first: string): boolean => version >= first;

  let before: Tables;
  beforeAll(async () => {
    const path = join(folder, `${version}.db`);
    await createEarlierDatabase(path, version);
    before = withSqlite(path, rowsOf);
    await migrate(`${version}.db`);
  });

  it('is migrated with all its rows, and has the schema of a new one', () => {
    expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(10);
    withSqlite(join(folder, `${version}.db`), (db) => {
      const after = rowsOf(db);
      expect(comparable(after, before)).toEqual(comparable(before, before));
      expect(schemaOf(db)).toEqual(latestSchema);
      expect([integrityProblems(db), db.prepare('PRAGMA foreign_key_check').all()]).toEqual([[], []]);
    });
  });

  it('gets the sort keys, counts and words of this version', () => {
    withSqlite(join(folder, `${version}.db`), (db) => {
      const all = (sql: string) =>
        db
          .prepare(sql)
          .all()
          .map((row) => Object.values(row).join(' '));
      expect(all('SELECT name FROM device WHERE deleted_at IS NULL ORDER BY name_key')).toEqual([
        'Pump 2',
        'Pump 10',
      ]);
      expect(all('SELECT state, count FROM device_count ORDER BY state')).toEqual([
        'late 0',
        'never-seen 0',
        'offline 1',
        'online 1',
      ]);
      expect(
        all('SELECT name, value, value_key, online, offline, total FROM device_facet ORDER BY 1, 2'),
      ).toEqual([
        'tag line line 1 0 1',
        'tag site site 1 1 2',
        'tag:line 1 1 1 0 1',
        'tag:site North north 1 0 1',
        'tag:site Süd süd 0 1 1',
        'type pump pump 1 1 2',
      ]);
      expect(
        all(
          "SELECT name FROM device_search('pump') AS found JOIN device_place ON place = found.rowid JOIN device USING (seq) ORDER BY place",
        ),
      ).toEqual(['Pump 2', 'Pump 10']);
      expect(all('SELECT destination_key FROM pipeline')).toEqual(['öl']);
      expect(all('SELECT state FROM webhook')).toEqual(['retrying']);
      if (since('0003-destinations')) {
        expect(all('SELECT state FROM destination')).toEqual(['retrying']);
        expect(all("SELECT data FROM event WHERE id = 'evt_b'")).toEqual([
          '{"from":"healthy","to":"retrying"}',
        ]);
      }
      if (since('0009-throughput'))
        expect(all('SELECT bucket_ms, ts, received FROM pipeline_throughput')).toEqual([
          `60000 ${MINUTE} 5`,
          `60000 ${MINUTE + 60_000} 7`,
          `3600000 ${MINUTE - (MINUTE % 3_600_000)} 12`,
        ]);
    });
  });
});
