import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const acceptedPerMinute: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('service_minute').addColumn('accepted', 'bigint').execute();
  },
};
