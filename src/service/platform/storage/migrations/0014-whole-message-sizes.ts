import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The index contains the sizes, so that they are added up without reading the messages. */
export const wholeMessageSizes: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.dropIndex('whole_message_by_pipeline').execute();
    await db.schema
      .createIndex('whole_message_by_pipeline')
      .on('whole_message')
      .columns(['pipeline_id', 'at', 'message_id', 'bytes'])
      .execute();
  },
};
