import type { Selectable } from 'kysely';
import { DIGEST_EVENTS, type WebhookDelivery, type WebhookDigest } from '#contract/webhook-events.ts';
import type { Db } from '../platform/storage/database.ts';
import { newId } from '../platform/storage/new-id.ts';
import { ROWS_PER_INSERT, slicesOf } from '../platform/storage/slices.ts';
import { insertDeliveries, type WebhookDeliveryRow } from './webhook-delivery-store.ts';
import type { WebhookDigestTable } from './webhook-table.ts';
import { toIsoTime } from '../platform/iso-time.ts';

type DigestRow = Selectable<WebhookDigestTable>;

/** At most one digest is sent within this time. */
const DIGEST_MS = 60_000;

const findDigest = (db: Db, webhookId: string): Promise<DigestRow | undefined> =>
  db.selectFrom('webhook_digest').selectAll().where('webhook_id', '=', webhookId).executeTakeFirst();

const countsOf = (row: Pick<DigestRow, 'by_type'>): Record<string, number> =>
  JSON.parse(row.by_type) as Record<string, number>;

const listEvents = async (db: Db, webhookId: string): Promise<WebhookDelivery[]> => {
  const rows = await db
    .selectFrom('webhook_digest_event')
    .select('body')
    .where('webhook_id', '=', webhookId)
    .orderBy('position')
    .execute();
  return rows.map(({ body }) => JSON.parse(body) as WebhookDelivery);
};

/** Adds events to the open digest of a webhook, in the transaction of the events. */
export const addToDigest = async (
  tx: Db,
  webhookId: string,
  added: readonly WebhookDelivery[],
  nowMs: number,
): Promise<void> => {
  const times = added.map(({ timestamp }) => Date.parse(timestamp));
  const firstAtMs = times[0] ?? nowMs;
  const open = await findDigest(tx, webhookId);
  const total = open?.total ?? 0;
  const byType = open === undefined ? {} : countsOf(open);
  for (const { type } of added) byType[type] = (byType[type] ?? 0) + 1;
  const row: Omit<DigestRow, 'webhook_id'> = {
    due_at: Math.max(open?.due_at ?? 0, nowMs),
    total: total + added.length,
    by_type: JSON.stringify(byType),
    first_at: open === undefined || total === 0 ? firstAtMs : open.first_at,
    last_at: times.at(-1) ?? nowMs,
  };
  await tx
    .insertInto('webhook_digest')
    .values({ webhook_id: webhookId, ...row })
    .onConflict((conflict) => conflict.column('webhook_id').doUpdateSet(row))
    .execute();
  const listed = added.slice(0, Math.max(0, DIGEST_EVENTS - total)).map((delivery, index) => ({
    webhook_id: webhookId,
    position: total + index,
    body: JSON.stringify(delivery),
  }));
  for (const some of slicesOf(listed, ROWS_PER_INSERT))
    await tx.insertInto('webhook_digest_event').values(some).execute();
};

/** Whether the open digest of a webhook is due. */
export const hasDueDigest = async (db: Db, webhookId: string, nowMs: number): Promise<boolean> => {
  const row = await findDigest(db, webhookId);
  return row !== undefined && row.total > 0 && row.due_at <= nowMs;
};

/** Makes the open digest of a webhook due now. */
export const makeDigestDue = async (db: Db, webhookId: string, nowMs: number): Promise<void> => {
  await db.updateTable('webhook_digest').set({ due_at: nowMs }).where('webhook_id', '=', webhookId).execute();
};

/** Turns the open digest into a delivery. Its body and ID stay the same for each attempt. */
export const closeDigest = async (tx: Db, webhookId: string, nowMs: number): Promise<void> => {
  const row = await findDigest(tx, webhookId);
  if (row === undefined || row.total === 0) return;
  const body: WebhookDigest = {
    type: 'webhook.digest',
    timestamp: toIsoTime(nowMs),
    data: {
      total: row.total,
      byType: countsOf(row),
      from: toIsoTime(row.first_at),
      to: toIsoTime(row.last_at + 1),
      events: await listEvents(tx, webhookId),
    },
  };
  const delivery: WebhookDeliveryRow = {
    webhook_id: webhookId,
    event_id: newId('dig'),
    body: JSON.stringify(body),
    events: row.total,
    attempts: 0,
    due_at: nowMs,
  };
  await tx.deleteFrom('webhook_digest_event').where('webhook_id', '=', webhookId).execute();
  await tx
    .updateTable('webhook_digest')
    .set({ due_at: nowMs + DIGEST_MS, total: 0, by_type: '{}' })
    .where('webhook_id', '=', webhookId)
    .execute();
  await insertDeliveries(tx, webhookId, [delivery], nowMs);
};
