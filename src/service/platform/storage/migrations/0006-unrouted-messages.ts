import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const unroutedMessages: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('unrouted_topic')
      .addColumn('topic_filter', textOf(db), (column) => column.primaryKey())
      .addColumn('search_key', textOf(db), (column) => column.notNull())
      .addColumn('messages', 'bigint', (column) => column.notNull())
      .addColumn('first_at', 'bigint', (column) => column.notNull())
      .addColumn('last_at', 'bigint', (column) => column.notNull())
      .addColumn('clients', textOf(db), (column) => column.notNull())
      .addColumn('topic', textOf(db), (column) => column.notNull())
      .addColumn('payload', textOf(db))
      .addColumn('payload_bytes', 'integer', (column) => column.notNull())
      .addColumn('is_truncated', 'integer', (column) => column.notNull())
      .addColumn('is_retained', 'integer', (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('unrouted_topic_by_last_at')
      .on('unrouted_topic')
      .columns(['last_at', 'topic_filter'])
      .execute();
  },
};
