import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

/** Networks that Penstock may connect to, in addition to public addresses. */
export const allowedNetworks: Migration = {
  up: async (db: Kysely<unknown>) => {
    const text = textOf(db);
    await db.schema
      .createTable('allowed_network')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('network', text, (column) => column.notNull())
      .addColumn('ports', text, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addUniqueConstraint('allowed_network_once', ['network', 'ports'])
      .execute();
  },
};
