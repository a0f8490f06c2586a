import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../dialects/is-postgres.ts';
import { textOf } from './column-types.ts';

const triggers = {
  device_facet_size_insert: [
    'after insert on device_facet for each row',
    `insert into device_facet_size (name, size) values (new.name, 1)
     on conflict (name) do update set size = device_facet_size.size + 1;`,
  ],
  device_facet_size_delete: [
    'after delete on device_facet for each row',
    `update device_facet_size set size = size - 1 where name = old.name;
     delete from device_facet_size where name = old.name and size = 0;`,
  ],
} as const;

/** Stores the number of values of each property, and finds the values with devices that are offline or late. */
export const facetSizes: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('device_facet_size')
      .addColumn('name', textOf(db), (column) => column.primaryKey())
      .addColumn('size', 'bigint', (column) => column.notNull())
      .execute();
    await sql`insert into device_facet_size (name, size)
      select name, count(*) from device_facet group by name`.execute(db);
    await sql`create index device_facet_by_offline
      on device_facet (name, offline desc, late desc, total desc, value_key, value)
      where offline > 0 or late > 0`.execute(db);
    for (const [name, [when, work]] of Object.entries(triggers)) {
      if (!isPostgres(db)) {
        await sql.raw(`create trigger ${name} ${when} begin ${work} end`).execute(db);
        continue;
      }
      await sql
        .raw(
          `create function ${name}() returns trigger language plpgsql as $$ begin ${work} return null; end $$`,
        )
        .execute(db);
      await sql.raw(`create trigger ${name} ${when} execute function ${name}()`).execute(db);
    }
  },
};
