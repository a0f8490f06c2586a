import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const wholeMessages: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('whole_message')
      .addColumn('message_id', textOf(db), (column) => column.primaryKey())
      .addColumn('pipeline_id', textOf(db), (column) =>
        column.notNull().references('pipeline.id').onDelete('cascade'),
      )
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('body', textOf(db), (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('whole_message_by_pipeline')
      .on('whole_message')
      .columns(['pipeline_id', 'at', 'message_id'])
      .execute();
  },
};
