import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { textOf } from './column-types.ts';

export const stateReasons: Migration = {
  up: async (db: Kysely<unknown>) => {
    await db.schema.alterTable('pipeline').addColumn('state_reason', textOf(db)).execute();
    await db.schema.alterTable('pipeline').addColumn('state_reason_since', 'bigint').execute();
  },
};
