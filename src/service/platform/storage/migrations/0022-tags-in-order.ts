import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

/** Tags get the sort key of their device, so that an index finds the devices with a tag in the order of their names. */
export const tagsInOrder: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('device_tag')
      .addColumn('name_key', textOf(db), (column) => column.notNull().defaultTo(''))
      .execute();
    // The primary key finds the rows of a device. The update is quicker without another index.
    await db.schema.dropIndex('device_tag_by_value').execute();
    await sql`update device_tag set name_key = device.name_key from device where device.id = device_tag.device_id`.execute(
      db,
    );
    await db.schema
      .createIndex('device_tag_by_name_key')
      .on('device_tag')
      .columns(['key', 'value', 'name_key', 'device_id'])
      .execute();
  },
};
