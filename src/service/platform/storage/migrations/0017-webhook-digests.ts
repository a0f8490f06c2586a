import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const webhookDigests: Migration = {
  up: async (db: Kysely<unknown>) => {
    const { schema } = db;
    const text = textOf(db);
    await schema.alterTable('webhook').addColumn('tag', text).execute();
    await schema
      .alterTable('webhook')
      .addColumn('digest', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .alterTable('webhook_call')
      .addColumn('events', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    await schema
      .createTable('webhook_digest')
      .addColumn('webhook_id', text, (column) =>
        column.primaryKey().references('webhook.id').onDelete('cascade'),
      )
      .addColumn('due_at', 'bigint', (column) => column.notNull())
      .addColumn('total', 'bigint', (column) => column.notNull())
      .addColumn('by_type', text, (column) => column.notNull())
      .addColumn('first_at', 'bigint', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('webhook_digest_event')
      .addColumn('webhook_id', text, (column) =>
        column.notNull().references('webhook.id').onDelete('cascade'),
      )
      .addColumn('position', 'integer', (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('webhook_digest_event_pk', ['webhook_id', 'position'])
      .execute();
  },
};
