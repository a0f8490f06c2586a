import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

/**
 * Work that one of several processes does. `token` increases with each holder, and `expires_at` is epoch ms by the clock of the
 * database server. The lease of the schedulers replaces the claims of single webhooks.
 */
export const leases: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('lease')
      .addColumn('name', textOf(db), (column) => column.primaryKey())
      .addColumn('holder', textOf(db), (column) => column.notNull())
      .addColumn('token', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema.alterTable('webhook').dropColumn('busy_until').execute();
  },
};
