import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const deviceNotes: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .alterTable('device')
      .addColumn('notes', textOf(db), (column) => column.notNull().defaultTo(''))
      .execute();
  },
};
