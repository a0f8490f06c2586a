import type { Insertable, Selectable } from 'kysely';
import type * as z from 'zod';
import { isId } from '#contract/id.ts';
import type { Rejection, rejectionsApi, ReplayRequest } from '#contract/rejections.ts';
import { findByIds } from '../../devices/device-store.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { RejectionTable } from './rejection-table.ts';
import { cursorAfter, pageBy, type Ordering } from '../../platform/storage/keyset.ts';
import { deleteLooseMessages, listKeptMessages, trimWholeMessages } from './whole-message-store.ts';
import { slicesOf } from '../../platform/storage/slices.ts';
import { toIsoTime } from '../../platform/iso-time.ts';

type RejectionRow = Selectable<RejectionTable>;

/** The limits of stored rejections per pipeline. The oldest are deleted but stay counted. */
const KEPT = { rows: 10_000, bytes: 64 * 1_048_576 };
type Kept = Partial<typeof KEPT> & {
  /** Bytes of whole messages that are stored separately. */ wholeBytes: number;
};
const ROWS_PER_TRIM = 1_000;
/** A row can hold 64 KiB of text. */
const REJECTIONS_PER_INSERT = 20;

const rejectionOf = (row: RejectionRow, isKept: (messageId: string) => boolean): Rejection => ({
  id: row.id,
  at: toIsoTime(row.at),
  reason: row.reason,
  detail: row.detail,
  message: row.message,
  truncated: row.is_whole === 2,
  topic: row.topic,
  device: row.named_device,
  defaultDevice: row.device,
  sender: row.sender === null ? null : (JSON.parse(row.sender) as Rejection['sender']),
  attempts: row.attempts,
  samples: row.value_count,
  count: row.occurrences,
  firstAt: toIsoTime(row.first_at ?? row.at),
  whole: row.is_whole === 1 || (row.is_whole === 2 && isKept(row.message_id)),
  mapped: row.is_mapped === 1,
});

const ordering: Ordering<'rejection'> = {
  columns: { at: { integer: 'rejection.at' } },
  fallback: '-at',
  id: 'rejection.id',
};

export const listRejections = async (
  db: Db,
  pipelineId: string,
  query: z.output<typeof rejectionsApi.list.query>,
) => {
  let rows = db.selectFrom('rejection').selectAll('rejection').where('pipeline_id', '=', pipelineId);
  if (query.reason !== undefined) rows = rows.where('reason', '=', query.reason);
  if (query.device !== undefined) rows = rows.where('named_device', '=', query.device);
  const ofPipeline = { ...query, pipelineId };
  const { rows: data, ...page } = await pageBy(rows, ordering, ofPipeline);
  const apart = data.filter(({ is_whole }) => is_whole === 2).map(({ message_id }) => message_id);
  const kept = new Set(await listKeptMessages(db, apart));
  return { data: data.map((row) => rejectionOf(row, (messageId) => kept.has(messageId))), ...page };
};

/** Inserts rejections. A device that a message names by its ID is stored with its external ID. */
export const insertRejections = async (
  db: Db,
  rows: readonly Insertable<RejectionTable>[],
): Promise<void> => {
  const ids = new Set(
    rows.flatMap(({ named_device: name }) => (name != null && isId('dev', name) ? name : [])),
  );
  const devices = ids.size === 0 ? [] : await findByIds(db, [...ids]);
  const externalIds = new Map(devices.map(({ id, external_id }) => [id, external_id]));
  const named = rows.map((row) => ({
    ...row,
    named_device: externalIds.get(row.named_device ?? '') ?? row.named_device,
  }));
  for (const some of slicesOf(named, REJECTIONS_PER_INSERT))
    await db.insertInto('rejection').values(some).execute();
};

/** The highest count of a row: it must fit in a 32-bit integer. */
const MAX_COUNT = 1_000_000_000;

/**
 * Counts the rejections of a message with stored ones that have the same digest, and updates their time. Returns false
 * if there are none.
 */
export const countEqualRejection = async (
  db: Db,
  [first]: readonly Insertable<RejectionTable>[],
): Promise<boolean> => {
  if (first?.digest == null) return false;
  const { numUpdatedRows } = await db
    .updateTable('rejection')
    .set((is) => ({
      value_count: is('value_count', '+', is('value_count', '/', is.ref('occurrences'))),
      message_values: is('message_values', '+', is('message_values', '/', is.ref('occurrences'))),
      occurrences: is('occurrences', '+', 1),
      first_at: is.fn.coalesce('first_at', 'at'),
      at: first.at,
    }))
    .where('pipeline_id', '=', first.pipeline_id)
    .where('digest', '=', first.digest)
    .where('message_values', '<', MAX_COUNT)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

/** The rejections of one message. */
export type RejectedMessage = readonly [RejectionRow, ...RejectionRow[]];

/** `untilMs`: only rejections until this time, in epoch ms. Defaults to all. */
type Choice = Pick<ReplayRequest, 'ids' | 'reason' | 'device'> & { untilMs?: number };

const chosenRows = (db: Db, pipelineId: string, { ids, reason, device, untilMs }: Choice) => {
  const own = db.selectFrom('rejection').where('pipeline_id', '=', pipelineId);
  let rows = own;
  if (untilMs !== undefined) rows = rows.where('at', '<=', untilMs);
  if (ids !== undefined)
    rows = rows.where('message_id', 'in', own.select('message_id').where('id', 'in', ids));
  if (reason !== undefined)
    rows = rows.where('message_id', 'in', own.select('message_id').where('reason', '=', reason));
  if (device !== undefined) rows = rows.where('named_device', '=', device);
  return rows;
};

const messageOrdering: Ordering<'rejection'> = {
  columns: { at: { integer: 'rejection.at' } },
  fallback: 'at',
  id: 'rejection.message_id',
};

/**
 * Lists a page of rejected messages, oldest first. `ids`: only messages of these rejections. `reason`: only messages
 * with a rejection for this reason. `device`: only messages that name this device.
 */
export const listRejectedMessages = async (
  db: Db,
  pipelineId: string,
  choice: Choice,
  page: { limit: number; cursor?: string | undefined },
): Promise<{ messages: RejectedMessage[]; nextCursor: string | null }> => {
  const places = chosenRows(db, pipelineId, choice).select(['at', 'message_id']).distinct();
  const ofPipeline = { ...page, pipelineId, ...choice };
  const { rows: found, nextCursor } = await pageBy(places, messageOrdering, ofPipeline);
  const rows = await findRowsOfMessages(
    db,
    found.map(({ message_id }) => message_id),
  );
  const byMessage = Map.groupBy(rows, ({ message_id }) => message_id);
  const messages = found.flatMap(({ message_id }) => {
    const [first, ...others] = byMessage.get(message_id) ?? [];
    return first === undefined ? [] : [[first, ...others] as const];
  });
  return { messages, nextCursor };
};

/** The cursor for the messages of a choice after this one. */
export const cursorAfterMessage = (
  pipelineId: string,
  choice: Choice,
  [message]: RejectedMessage,
): string => {
  const ofPipeline = { pipelineId, ...choice };
  return cursorAfter(messageOrdering, ofPipeline, message);
};

/** The number of messages of a choice. */
export const countRejectedMessages = async (db: Db, pipelineId: string, choice: Choice): Promise<number> => {
  const { messages } = await chosenRows(db, pipelineId, choice)
    .select((is) => is.fn.count<number | string>('message_id').distinct().as('messages'))
    .executeTakeFirstOrThrow();
  return Number(messages);
};

const findRowsOfMessages = async (db: Db, messageIds: readonly string[]): Promise<RejectionRow[]> =>
  messageIds.length === 0
    ? []
    : db.selectFrom('rejection').selectAll().where('message_id', 'in', messageIds).orderBy('id').execute();

/** True if the rows were not replayed, discarded or trimmed since they were read. */
export const areUnchanged = async (db: Db, rows: RejectedMessage): Promise<boolean> => {
  const now = await db
    .selectFrom('rejection')
    .select(['id', 'attempts', 'occurrences'])
    .where('message_id', '=', rows[0].message_id)
    .orderBy('id')
    .execute();
  return (
    now.length === rows.length &&
    now.every(({ id, attempts, occurrences }, index) => {
      const row = rows[index];
      return row?.id === id && row.attempts === attempts && row.occurrences === occurrences;
    })
  );
};

/** Replaces the rejections of a message. */
export const replaceRejections = async (
  db: Db,
  old: RejectedMessage,
  next: readonly RejectionRow[],
): Promise<void> => {
  await db.deleteFrom('rejection').where('message_id', '=', old[0].message_id).execute();
  await insertRejections(db, next);
  if (next.length === 0) await deleteLooseMessages(db, old[0].pipeline_id);
};

/** Deletes the rejections of a pipeline. The ledger still counts them. */
export const deleteRejections = async (db: Db, pipelineId: string): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('rejection')
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst();
  await deleteLooseMessages(db, pipelineId);
  return Number(numDeletedRows);
};

/** Deletes the oldest rejections of a pipeline until the rest fits within `kept`. */
export const trimRejections = async (
  db: Db,
  pipelineId: string,
  { wholeBytes, ...others }: Kept,
): Promise<void> => {
  await trimRows(db, pipelineId, { ...KEPT, ...others });
  await deleteLooseMessages(db, pipelineId);
  await trimWholeMessages(db, pipelineId, wholeBytes);
};

const trimRows = async (db: Db, pipelineId: string, kept: typeof KEPT): Promise<void> => {
  for (;;) {
    const { rows, bytes } = await db
      .selectFrom('rejection')
      .select((is) => [
        is.fn.countAll<number | string>().as('rows'),
        // Unlike the number of characters, it is known without reading the text.
        is.fn.sum<number | string | null>(is.fn('octet_length', ['message'])).as('bytes'),
      ])
      .where('pipeline_id', '=', pipelineId)
      .executeTakeFirstOrThrow();
    const surplus = Number(rows) - kept.rows;
    if (surplus <= 0 && Number(bytes ?? 0) <= kept.bytes) return;
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
