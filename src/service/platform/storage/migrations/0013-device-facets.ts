import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { foldCase } from '#contract/text.ts';
import { textOf } from './column-types.ts';
import { countFacets, fillFacets } from './facet-triggers.ts';

const ROWS = 1_000;

/** Folds every type and tag value. */
const foldValues = async (db: Kysely<unknown>): Promise<void> => {
  for (let after = ''; ;) {
    const { rows } = await sql<{ id: string; type: string; tags: string }>`
      select id, type, tags from device where id > ${after} order by id limit ${ROWS}`.execute(db);
    for (const { id, type, tags } of rows) {
      if (type !== '') await sql`update device set type_key = ${foldCase(type)} where id = ${id}`.execute(db);
      for (const [key, value] of Object.entries(JSON.parse(tags) as Record<string, string>))
        await sql`update device_tag set value_key = ${foldCase(value)}
          where device_id = ${id} and key = ${key}`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return;
    after = last.id;
  }
};

export const deviceFacets: Migration = {
  up: async (db: Kysely<unknown>) => {
    const text = textOf(db);
    for (const [table, column] of [
      ['device', 'type_key'],
      ['device_tag', 'value_key'],
    ] as const)
      await db.schema
        .alterTable(table)
        .addColumn(column, text, (definition) => definition.notNull().defaultTo(''))
        .execute();
    await foldValues(db);
    let facets = db.schema
      .createTable('device_facet')
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('value', text, (column) => column.notNull())
      .addColumn('value_key', text, (column) => column.notNull());
    for (const count of ['online', 'late', 'offline', 'never_seen', 'total'])
      facets = facets.addColumn(count, 'bigint', (column) => column.notNull());
    await facets.addPrimaryKeyConstraint('device_facet_pk', ['name', 'value']).execute();
    await fillFacets(db);
    // The most common values first, and the values that begin with a text.
    await sql`create index device_facet_by_total on device_facet (name, total desc, value_key, value)`.execute(
      db,
    );
    await sql`create index device_facet_by_key on device_facet (name, value_key, value)`.execute(db);
    await sql`create index device_facet_empty on device_facet (name) where total = 0`.execute(db);
    await countFacets(db);
  },
};
