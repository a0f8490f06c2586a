import { sql, type Kysely, type RawBuilder } from 'kysely';
import { isPostgres } from '../dialects/is-postgres.ts';

/** Creates a trigram index of `search_key`, so that a search only reads matching rows. */
export const indexSearch = async (db: Kysely<unknown>): Promise<void> => {
  if (isPostgres(db)) {
    await sql`create extension if not exists pg_trgm`.execute(db);
    await sql`create index device_search on device using gin (search_key gin_trgm_ops)`.execute(db);
    return;
  }
  await sql`create virtual table device_search using fts5(
    search_key, content='device', content_rowid='seq', tokenize='trigram case_sensitive 1')`.execute(db);
  const add = sql.raw('insert into device_search (rowid, search_key) values (new.seq, new.search_key);');
  const remove = sql.raw(
    "insert into device_search (device_search, rowid, search_key) values ('delete', old.seq, old.search_key);",
  );
  await sql`create trigger device_search_insert after insert on device begin ${add} end`.execute(db);
  await sql`create trigger device_search_delete after delete on device begin ${remove} end`.execute(db);
  await sql`create trigger device_search_update after update of search_key on device
    when old.search_key <> new.search_key begin ${remove} ${add} end`.execute(db);
};

const deviceStates = ['never-seen', 'online', 'late', 'offline'];

/** Maintains the number of devices in each state, so that counting reads four rows. */
export const countDevices = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable('device_count')
    .addColumn('state', 'text', (column) => column.primaryKey())
    .addColumn('count', 'bigint', (column) => column.notNull())
    .execute();
  for (const state of deviceStates) await sql`insert into device_count values (${state}, 0)`.execute(db);
  const add = (row: 'old' | 'new', change: '+ 1' | '- 1') =>
    sql.raw(
      `update device_count set count = count ${change} where state = ${row}.state and ${row}.deleted_at is null;`,
    );
  const [leave, enter] = [add('old', '- 1'), add('new', '+ 1')];
  const on: Record<string, [when: string, work: RawBuilder<unknown>]> = {
    insert: ['insert on device for each row', enter],
    delete: ['delete on device for each row', leave],
    update: [
      `update of state, deleted_at on device for each row
       when (old.state <> new.state or (old.deleted_at is null) <> (new.deleted_at is null))`,
      sql`${leave} ${enter}`,
    ],
  };
  for (const [name, [when, work]] of Object.entries(on)) {
    const trigger = sql.raw(`create trigger device_count_${name} after ${when}`);
    if (!isPostgres(db)) {
      await sql`${trigger} begin ${work} end`.execute(db);
      continue;
    }
    await sql`create function ${sql.raw(`device_count_${name}`)}() returns trigger language plpgsql
      as $$ begin ${work} return null; end $$`.execute(db);
    await sql`${trigger} execute function ${sql.raw(`device_count_${name}`)}()`.execute(db);
  }
};
