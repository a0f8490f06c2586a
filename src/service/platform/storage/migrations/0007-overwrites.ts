import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const overwrites: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('overwrite')
      .addColumn('pipeline_id', textOf(db), (column) =>
        column.notNull().references('pipeline.id').onDelete('cascade'),
      )
      .addColumn('device_id', textOf(db), (column) => column.notNull())
      .addColumn('metric', textOf(db), (column) => column.notNull())
      .addColumn('value_count', 'bigint', (column) => column.notNull())
      .addColumn('first_at', 'bigint', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .addColumn('ts', 'bigint', (column) => column.notNull())
      .addColumn('value_before', textOf(db))
      .addColumn('value_after', textOf(db), (column) => column.notNull())
      .addPrimaryKeyConstraint('overwrite_pk', ['pipeline_id', 'device_id', 'metric'])
      .execute();
  },
};
