import type { Insertable } from 'kysely';
import type { Db } from '../../platform/storage/database.ts';
import type { WholeMessageTable } from './rejection-table.ts';

/** Stores messages whose rejections contain only their beginning, or that are not text. */
export const insertWholeMessages = async (
  db: Db,
  rows: readonly Insertable<WholeMessageTable>[],
): Promise<void> => {
  // One by one, because each can be several megabytes.
  for (const row of rows) await db.insertInto('whole_message').values(row).execute();
};

/** The bytes of a message; undefined if it is not stored, or no longer. */
export const findWholeMessage = async (db: Db, messageId: string): Promise<Buffer | undefined> => {
  const row = await db
    .selectFrom('whole_message')
    .select('body')
    .where('message_id', '=', messageId)
    .executeTakeFirst();
  return row === undefined ? undefined : Buffer.from(row.body, 'base64');
};

/** Returns which of these messages are stored. */
export const listKeptMessages = async (db: Db, messageIds: readonly string[]): Promise<string[]> => {
  if (messageIds.length === 0) return [];
  const rows = await db
    .selectFrom('whole_message')
    .select('message_id')
    .where('message_id', 'in', messageIds)
    .execute();
  return rows.map(({ message_id }) => message_id);
};

/** Deletes messages without rejections. */
export const deleteLooseMessages = async (db: Db, pipelineId: string): Promise<void> => {
  await db
    .deleteFrom('whole_message')
    .where('pipeline_id', '=', pipelineId)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('rejection')
            .select('rejection.id')
            .whereRef('rejection.message_id', '=', 'whole_message.message_id'),
        ),
      ),
    )
    .execute();
};

/** Deletes the oldest messages of a pipeline until the rest has at most `limitBytes`. Their rejections stay. */
export const trimWholeMessages = async (db: Db, pipelineId: string, limitBytes: number): Promise<void> => {
  const rows = await db
    .selectFrom('whole_message')
    .select(['message_id', 'bytes'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('at', 'desc')
    .orderBy('message_id', 'desc')
    .execute();
  let bytes = 0;
  for (const row of rows) {
    bytes += row.bytes;
    if (bytes > limitBytes)
      await db.deleteFrom('whole_message').where('message_id', '=', row.message_id).execute();
  }
};
