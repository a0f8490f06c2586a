import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

/** Refused uses of revoked and expired keys, and an index to find recently overwritten samples. */
export const refusedKeys: Migration = {
  up: async (db: Kysely<unknown>) => {
    const { schema } = db;
    await schema.alterTable('api_key').addColumn('last_refused_at', 'bigint').execute();
    await schema.alterTable('api_key').addColumn('last_refused_from', textOf(db)).execute();
    await schema.alterTable('api_key').addColumn('refused_since', 'bigint').execute();
    await schema
      .alterTable('api_key')
      .addColumn('refused_count', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema.createIndex('api_key_by_last_refused_at').on('api_key').column('last_refused_at').execute();
    await schema.createIndex('overwrite_by_last_at').on('overwrite').column('last_at').execute();
  },
};
