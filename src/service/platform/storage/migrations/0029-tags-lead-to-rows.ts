import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../dialects/is-postgres.ts';

/** Tags get the row of their device, so that an index leads from a tag to it without a second lookup. */
export const tagsLeadToRows: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('device_tag')
      .addColumn('device_seq', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema.dropIndex('device_tag_by_name_key').execute();
    await sql`update device_tag set device_seq = device.seq from device where device.id = device_tag.device_id`.execute(
      db,
    );
    // SQLite requires a default for a column that it adds.
    if (isPostgres(db)) await sql`alter table device_tag alter column device_seq drop default`.execute(db);
    await db.schema
      .createIndex('device_tag_by_name_key')
      .on('device_tag')
      .columns(['key', 'value', 'name_key', 'device_id', 'device_seq'])
      .execute();
  },
};
