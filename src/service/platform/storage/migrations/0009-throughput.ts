import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const throughput: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('pipeline_minute')
      .addColumn('pipeline_id', textOf(db), (column) =>
        column.notNull().references('pipeline.id').onDelete('cascade'),
      )
      .addColumn('minute', 'bigint', (column) => column.notNull())
      .addColumn('received', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('pipeline_minute_pk', ['pipeline_id', 'minute'])
      .execute();
    await db.schema
      .createTable('service_minute')
      .addColumn('minute', 'bigint', (column) => column.primaryKey())
      .addColumn('ran_ms', 'integer', (column) => column.notNull())
      .execute();
  },
};
