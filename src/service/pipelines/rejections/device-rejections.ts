import { DEVICE_MESSAGE_BYTES } from '#contract/device-messages.ts';
import type { Db } from '../../platform/storage/database.ts';

/** The number of rejections of a device that are listed. */
const LATEST = 20;

/** By pipeline, the number of rejected samples of the messages that name a device. */
export const countRejectionsOfDevice = async (db: Db, externalId: string) => {
  const rows = await db
    .selectFrom('rejection')
    .select([
      'pipeline_id',
      (is) => is.fn.sum<number | string>('value_count').as('count'),
      (is) => is.fn.max('at').as('last_at'),
    ])
    .where('named_device', '=', externalId)
    .groupBy('pipeline_id')
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
};

/** The latest rejections of the messages that name a device, newest first, with the start of each message. */
export const listLatestRejectionsOfDevice = (db: Db, externalId: string) =>
  db
    .selectFrom('rejection')
    .select([
      'id',
      'pipeline_id',
      'at',
      'reason',
      'detail',
      'topic',
      'message_id',
      'message_values',
      'value_count',
      'occurrences',
      'is_whole',
      (is) => is.fn<string>('substr', ['message', is.val(1), is.val(DEVICE_MESSAGE_BYTES + 1)]).as('text'),
    ])
    .where('id', 'in', (select) =>
      select
        .selectFrom('rejection')
        .select('id')
        .where('named_device', '=', externalId)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(LATEST),
    )
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .execute();
export type LatestRejection = Awaited<ReturnType<typeof listLatestRejectionsOfDevice>>[number];
