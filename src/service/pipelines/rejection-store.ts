import type { Insertable, Selectable } from 'kysely';
import type * as z from 'zod';
import type { messagesApi, Rejection } from '#contract/pipelines.ts';
import type { Db, Schema } from '../storage/database.ts';
import { pageBy, type Ordering } from '../storage/keyset.ts';

type RejectionRow = Selectable<Schema['rejection']>;

/** The newest of each pipeline are kept within these; what goes stays counted. */
const KEPT = { rows: 10_000, characters: 64 * 1_048_576 };
const ROWS_PER_TRIM = 1_000;
/** A row may hold 64 KiB of text. */
const ROWS_PER_INSERT = 20;

const rejectionOf = (row: RejectionRow): Rejection => ({
  id: row.id,
  at: new Date(row.at).toISOString(),
  reason: row.reason,
  detail: row.detail,
  message: row.message,
  topic: row.topic,
  attempts: row.attempts,
  values: row.value_count,
});

const ordering: Ordering<'rejection'> = {
  columns: { at: 'rejection.at' },
  fallback: '-at',
  id: 'rejection.id',
};

export const listRejections = async (
  db: Db,
  pipelineId: string,
  query: z.output<typeof messagesApi.rejections.query>,
) => {
  let rows = db.selectFrom('rejection').selectAll('rejection').where('pipeline_id', '=', pipelineId);
  if (query.reason !== undefined) rows = rows.where('reason', '=', query.reason);
  const ofPipeline = { ...query, pipelineId };
  const { rows: data, ...page } = await pageBy(rows, ordering, ofPipeline);
  return { data: data.map(rejectionOf), ...page };
};

/** Rejected values by cause, the commonest first. */
export const countRejections = async (db: Db, pipelineId: string) => {
  const rows = await db
    .selectFrom('rejection')
    .select([
      'reason',
      (is) => is.fn.sum<number | string>('value_count').as('count'),
      (is) => is.fn.max('at').as('last_at'),
    ])
    .where('pipeline_id', '=', pipelineId)
    .groupBy('reason')
    .orderBy('count', 'desc')
    .orderBy('reason')
    .execute();
  return rows.map(({ reason, count, last_at }) => ({
    reason,
    count: Number(count),
    lastAt: new Date(last_at).toISOString(),
  }));
};

export const insertRejections = async (
  db: Db,
  rows: readonly Insertable<Schema['rejection']>[],
): Promise<void> => {
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT)
    await db
      .insertInto('rejection')
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .execute();
};

/** Takes the rejections of a pipeline away; they stay counted in its ledger. */
export const deleteRejections = async (db: Db, pipelineId: string): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('rejection')
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst();
  return Number(numDeletedRows);
};

/** Takes the oldest rejections of a pipeline away until the rest fits within `kept`. */
export const trimRejections = async (db: Db, pipelineId: string, kept = KEPT): Promise<void> => {
  for (;;) {
    const { rows, characters } = await db
      .selectFrom('rejection')
      .select((is) => [
        is.fn.countAll<number | string>().as('rows'),
        is.fn.sum<number | string | null>(is.fn('length', ['message'])).as('characters'),
      ])
      .where('pipeline_id', '=', pipelineId)
      .executeTakeFirstOrThrow();
    const surplus = Number(rows) - kept.rows;
    if (surplus <= 0 && Number(characters ?? 0) <= kept.characters) return;
    await db
      .deleteFrom('rejection')
      .where('id', 'in', (select) =>
        select
          .selectFrom('rejection')
          .select('id')
          .where('pipeline_id', '=', pipelineId)
          .orderBy('at')
          .orderBy('id')
          .limit(Math.min(ROWS_PER_TRIM, Math.max(surplus, Math.ceil(Number(rows) / 10)))),
      )
      .execute();
  }
};
