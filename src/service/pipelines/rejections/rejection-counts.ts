import { toIsoTime } from '../../platform/iso-time.ts';
import type { Db } from '../../platform/storage/database.ts';

/** The rejected samples of a pipeline, most frequent reason first; the caller groups them. */
const countedRows = (db: Db, pipelineId: string) =>
  db
    .selectFrom('rejection')
    .select([
      'reason',
      (is) => is.fn.sum<number | string>('value_count').as('count'),
      (is) => is.fn.count<number | string>('message_id').distinct().as('messages'),
      (is) => is.fn.max('at').as('last_at'),
    ])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('count', 'desc')
    .orderBy('reason');

type Counted = Awaited<ReturnType<ReturnType<typeof countedRows>['execute']>>[number];

const countsOf = ({ reason, count, messages, last_at }: Counted) => ({
  reason,
  count: Number(count),
  messages: Number(messages),
  lastAt: toIsoTime(last_at),
});

/** Rejected samples by reason, most frequent first. */
export const countRejections = async (db: Db, pipelineId: string) =>
  (await countedRows(db, pipelineId).groupBy('reason').execute()).map(countsOf);

/** The limit of groups by reason and device. */
const MAX_DEVICE_GROUPS = 200;

/** Rejected samples by reason and device, most frequent first. */
export const countRejectionsOfDevices = async (db: Db, pipelineId: string) => {
  const rows = await countedRows(db, pipelineId)
    .select('named_device as device')
    .groupBy(['reason', 'named_device'])
    .orderBy('named_device', (order) => order.asc().nullsFirst())
    .limit(MAX_DEVICE_GROUPS)
    .execute();
  return rows.map((row) => ({ ...countsOf(row), device: row.device }));
};
