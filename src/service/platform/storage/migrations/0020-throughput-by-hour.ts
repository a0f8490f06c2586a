import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { isPostgres } from '../dialects/is-postgres.ts';
import { textOf } from './column-types.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The minutes of an earlier version as buckets of minutes and of hours. Those of hours lack what was deleted before. */
export const throughputByHour: Migration = {
  up: async (db: Kysely<unknown>) => {
    // Rows in the order of the key: half of the space of a table with an index, for 2,200 rows of each pipeline.
    const inKeyOrder = isPostgres(db) ? sql`` : sql`without rowid`;
    await db.schema
      .createTable('pipeline_throughput')
      .addColumn('pipeline_id', textOf(db), (column) =>
        column.notNull().references('pipeline.id').onDelete('cascade'),
      )
      .addColumn('bucket_ms', 'integer', (column) => column.notNull())
      .addColumn('ts', 'bigint', (column) => column.notNull())
      .addColumn('received', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('pipeline_throughput_pk', ['pipeline_id', 'bucket_ms', 'ts'])
      .modifyEnd(inKeyOrder)
      .execute();
    await db.schema
      .createTable('service_throughput')
      .addColumn('bucket_ms', 'integer', (column) => column.notNull())
      .addColumn('ts', 'bigint', (column) => column.notNull())
      .addColumn('ran_ms', 'bigint', (column) => column.notNull())
      .addColumn('accepted', 'bigint')
      .addPrimaryKeyConstraint('service_throughput_pk', ['bucket_ms', 'ts'])
      .execute();
    for (const bucketMs of [MINUTE_MS, HOUR_MS].map((ms) => sql.lit(ms))) {
      await sql`
        insert into pipeline_throughput (pipeline_id, bucket_ms, ts, received)
        select pipeline_id, ${bucketMs}, minute - minute % ${bucketMs}, sum(received)
        from pipeline_minute group by 1, 3`.execute(db);
      await sql`
        insert into service_throughput (bucket_ms, ts, ran_ms, accepted)
        select ${bucketMs}, minute - minute % ${bucketMs}, sum(ran_ms), sum(accepted)
        from service_minute group by 2`.execute(db);
    }
    await db.schema.dropTable('pipeline_minute').execute();
    await db.schema.dropTable('service_minute').execute();
  },
};
