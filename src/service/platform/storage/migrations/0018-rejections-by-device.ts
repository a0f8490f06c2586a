import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The index contains the values, so that they are added up without reading the messages. */
export const rejectionsByDevice: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createIndex('rejection_by_device')
      .on('rejection')
      .columns(['named_device', 'pipeline_id', 'at', 'id', 'value_count'])
      .execute();
  },
};
