import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const rejectionSenders: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('rejection').addColumn('sender', textOf(db)).execute();
  },
};
