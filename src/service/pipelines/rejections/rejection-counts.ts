import { LISTED_SENDERS, type Sender } from '#contract/rejections.ts';
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

/** The senders of messages with their numbers of samples, most samples first; each once, whatever its MQTT user names. */
const sendersOf = (rows: readonly { sender: string | null; count: number }[]): Sender[] => {
  const byId = new Map<string, { sender: Sender; count: number }>();
  for (const { sender: text, count } of rows) {
    if (text === null) continue;
    const { type, id, name } = JSON.parse(text) as Sender;
    const counted = byId.get(id)?.count ?? 0;
    byId.set(id, { sender: { type, id, name }, count: counted + count });
  }
  return [...byId.values()].toSorted((a, b) => b.count - a.count).map(({ sender }) => sender);
};

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Rejected samples by reason with their senders, most frequent first. */
export const countRejections = async (db: Db, pipelineId: string) => {
  const rows = await countedRows(db, pipelineId).select('sender').groupBy(['reason', 'sender']).execute();
  const ofSenders = rows.map((row) => ({ ...countsOf(row), sender: row.sender }));
  return [...Map.groupBy(ofSenders, ({ reason }) => reason)]
    .map(([reason, alike]) => {
      const senders = sendersOf(alike);
      return {
        reason,
        count: sum(alike.map(({ count }) => count)),
        // A message has one sender.
        messages: sum(alike.map(({ messages }) => messages)),
        lastAt: alike.map(({ lastAt }) => lastAt).reduce((last, at) => (at > last ? at : last)),
        senders: senders.slice(0, LISTED_SENDERS),
        senderCount: senders.length,
      };
    })
    .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
};

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
