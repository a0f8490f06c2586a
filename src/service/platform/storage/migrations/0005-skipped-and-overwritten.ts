import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const skippedAndOverwritten: Migration = {
  up: async (db: Kysely<unknown>) => {
    for (const name of ['skipped', 'overwritten'])
      await db.schema
        .alterTable('pipeline')
        .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
        .execute();
  },
};
