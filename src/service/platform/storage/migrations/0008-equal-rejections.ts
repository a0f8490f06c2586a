import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const equalRejections: Migration = {
  up: async (db: Kysely<unknown>) => {
    const { schema } = db;
    await schema.alterTable('rejection').addColumn('digest', textOf(db)).execute();
    await schema
      .alterTable('rejection')
      .addColumn('occurrences', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await schema.alterTable('rejection').addColumn('first_at', 'bigint').execute();
    await schema
      .createIndex('rejection_by_digest')
      .on('rejection')
      .columns(['pipeline_id', 'digest'])
      .execute();
  },
};
