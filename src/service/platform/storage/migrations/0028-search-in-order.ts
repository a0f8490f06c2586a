import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../dialects/is-postgres.ts';

/** Leaves room for further devices between two places. */
const SPACE = 2 ** 24;

const triggers = {
  device_place_insert: `after insert on device_place begin
    insert into device_search (rowid, search_key)
    select new.place, search_key from device where seq = new.seq; end`,
  device_place_delete: `after delete on device_place begin
    delete from device_search where rowid = old.place; end`,
  device_place_change: `after update of name_key, search_key, deleted_at on device
    when old.name_key <> new.name_key or old.search_key <> new.search_key
      or (old.deleted_at is null and new.deleted_at is not null)
    begin delete from device_place where seq = old.seq; end`,
} as const;

/**
 * The row IDs of the search index of SQLite become places of devices in the order of names, so that a page of matches is
 * found without reading and sorting all of them. Deleted devices have no place.
 */
export const searchInOrder: Migration = {
  up: async (db: Kysely<unknown>) => {
    if (isPostgres(db)) return;
    for (const event of ['insert', 'delete', 'update'])
      await sql.raw(`drop trigger device_search_${event}`).execute(db);
    await sql`drop table device_search`.execute(db);
    await sql`create virtual table device_search using fts5(
      search_key, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`.execute(db);
    await db.schema
      .createTable('device_place')
      .addColumn('place', 'integer', (column) => column.primaryKey())
      .addColumn('seq', 'integer', (column) =>
        column.notNull().unique().references('device.seq').onDelete('cascade'),
      )
      .execute();
    for (const [name, trigger] of Object.entries(triggers))
      await sql.raw(`create trigger ${name} ${trigger}`).execute(db);
    await sql`insert into device_place (place, seq)
      select row_number() over (order by name_key, id) * ${SPACE}, seq
      from device where deleted_at is null order by name_key, id`.execute(db);
  },
};
