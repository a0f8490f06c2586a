import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import * as z from 'zod';
import { foldCase } from '#contract/fold-case.ts';
import { isPostgres } from '../dialects/is-postgres.ts';
import { counterOf, textOf } from './column-types.ts';

export const destinations: Migration = {
  up: async (db: Kysely<unknown>) => {
    const { schema } = db;
    await schema
      .createTable('destination')
      .addColumn('id', textOf(db), (column) => column.primaryKey())
      .addColumn('name', textOf(db), (column) => column.notNull())
      .addColumn('name_key', textOf(db), (column) => column.notNull().unique())
      .addColumn('type', textOf(db), (column) => column.notNull())
      .addColumn('url', textOf(db))
      .addColumn('options', textOf(db), (column) => column.notNull())
      .addColumn('secrets', textOf(db), (column) => column.notNull())
      .addColumn('state', textOf(db), (column) => column.notNull())
      .addColumn('last_error_at', 'bigint')
      .addColumn('last_error', textOf(db))
      .addColumn('last_delivered_at', 'bigint')
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .addColumn('updated_at', 'bigint', (column) => column.notNull())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createTable('spool_batch')
      .addColumn('seq', counterOf(db), (column) =>
        isPostgres(db) ? column.primaryKey() : column.primaryKey().autoIncrement(),
      )
      .addColumn('pipeline_id', textOf(db), (column) =>
        column.notNull().references('pipeline.id').onDelete('cascade'),
      )
      .addColumn('delivery_id', textOf(db))
      .addColumn('body', textOf(db), (column) => column.notNull())
      .addColumn('value_count', 'integer', (column) => column.notNull())
      .addColumn('bytes', 'integer', (column) => column.notNull())
      .addColumn('created_at', 'bigint', (column) => column.notNull())
      .execute();
    await schema
      .createIndex('spool_batch_by_pipeline')
      .on('spool_batch')
      .columns(['pipeline_id', 'seq'])
      .execute();
    await schema
      .alterTable('pipeline')
      .addColumn('spool_bytes', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .alterTable('pipeline')
      .addColumn('destination_key', textOf(db), (column) => column.notNull().defaultTo(''))
      .execute();
    // Pipelines can now name other destinations than the built-in store, so all names are folded.
    const named = z.array(z.object({ id: z.string(), destination: z.string() }));
    const { rows } = await sql`select id, destination from pipeline`.execute(db);
    for (const { id, destination } of named.parse(rows))
      await sql`update pipeline set destination_key = ${foldCase(destination)} where id = ${id}`.execute(db);
    await schema
      .createIndex('pipeline_by_destination')
      .on('pipeline')
      .columns(['destination_key', 'name_key', 'id'])
      .execute();
    await schema
      .alterTable('rejection')
      .addColumn('is_mapped', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
