import { sql, type Selectable } from 'kysely';
import type { Db } from '../platform/storage/database.ts';
import type { WebhookDeliveryTable } from './webhook-table.ts';
import { ROWS_PER_INSERT, slicesOf } from '../platform/storage/slices.ts';
import type { WebhookRow } from './webhook-store.ts';

export type WebhookDeliveryRow = Selectable<WebhookDeliveryTable>;

/** The limit of pending deliveries per webhook. Above it, the oldest are discarded. */
const MAX_PENDING = 10_000;

/** A webhook that receives events. */
export type ListenerRow = Pick<WebhookRow, 'id' | 'events' | 'tag' | 'digest'>;

export const listListeners = (db: Db): Promise<ListenerRow[]> =>
  db
    .selectFrom('webhook')
    .select(['id', 'events', 'tag', 'digest'])
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute();

/** Counts new events, in their transaction. */
export const countPending = async (db: Db, webhookId: string, events: number): Promise<void> => {
  await db
    .updateTable('webhook')
    .set((is) => ({ pending: is('pending', '+', events) }))
    .where('id', '=', webhookId)
    .execute();
};

/** IDs are in the order of their creation after the prefix: events and digests have different ones. */
const CREATED = sql`substr(event_id, 5)`;

/** Deletes the oldest deliveries to make room for new ones, and counts their events as failed. */
const giveUpOldest = async (db: Db, webhookId: string, nowMs: number): Promise<void> => {
  const { rows } = await db
    .selectFrom('webhook_call')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow();
  if (rows <= MAX_PENDING) return;
  const discarded = await db
    .deleteFrom('webhook_call')
    .where('webhook_id', '=', webhookId)
    .where('event_id', 'in', (from) =>
      from
        .selectFrom('webhook_call')
        .select('event_id')
        .where('webhook_id', '=', webhookId)
        .orderBy(CREATED)
        .limit(rows - MAX_PENDING),
    )
    .returning('events')
    .execute();
  const events = discarded.reduce((sum, row) => sum + row.events, 0);
  await db
    .updateTable('webhook')
    .set((is) => ({
      pending: is('pending', '-', events),
      failed: is('failed', '+', events),
      last_error_at: nowMs,
      last_error: `More than ${MAX_PENDING.toLocaleString('en')} deliveries were pending, so Penstock discarded the oldest.`,
    }))
    .where('id', '=', webhookId)
    .execute();
};

/** Queues deliveries whose events are counted as pending. */
export const insertDeliveries = async (
  db: Db,
  webhookId: string,
  rows: readonly WebhookDeliveryRow[],
  nowMs: number,
): Promise<void> => {
  for (const some of slicesOf(rows, ROWS_PER_INSERT))
    await db.insertInto('webhook_call').values(some).execute();
  const { pending } = await db
    .selectFrom('webhook')
    .select('pending')
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();
  // A delivery has at least one event, so that fewer events need no count.
  if (pending > MAX_PENDING) await giveUpOldest(db, webhookId, nowMs);
};

/** Lists webhooks with due deliveries or a due digest. */
export const listDueWebhooks = (db: Db, nowMs: number): Promise<WebhookRow[]> =>
  db
    .selectFrom('webhook')
    .selectAll()
    .where('enabled', '=', 1)
    .where('pending', '>', 0)
    .where((where) =>
      where.or([
        where.exists(
          where
            .selectFrom('webhook_call')
            .select('event_id')
            .whereRef('webhook_id', '=', 'webhook.id')
            .where('due_at', '<=', nowMs),
        ),
        where.exists(
          where
            .selectFrom('webhook_digest')
            .select('webhook_id')
            .whereRef('webhook_id', '=', 'webhook.id')
            .where('total', '>', 0)
            .where('due_at', '<=', nowMs),
        ),
      ]),
    )
    .orderBy('id')
    .execute();

/** Finds the delivery that has been due for longest. */
export const findDueDelivery = (
  db: Db,
  webhookId: string,
  nowMs: number,
): Promise<WebhookDeliveryRow | undefined> =>
  db
    .selectFrom('webhook_call')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('due_at', '<=', nowMs)
    .orderBy('due_at')
    .orderBy('event_id')
    .limit(1)
    .executeTakeFirst();

type DeliveryKey = Pick<WebhookDeliveryRow, 'webhook_id' | 'event_id'>;

export const findDelivery = (
  db: Db,
  { webhook_id, event_id }: DeliveryKey,
): Promise<WebhookDeliveryRow | undefined> =>
  db
    .selectFrom('webhook_call')
    .selectAll()
    .where('webhook_id', '=', webhook_id)
    .where('event_id', '=', event_id)
    .executeTakeFirst();

/** Deletes a completed delivery. Returns false if it was discarded meanwhile. */
export const deleteDelivery = async (db: Db, { webhook_id, event_id }: DeliveryKey): Promise<boolean> => {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_call')
    .where('webhook_id', '=', webhook_id)
    .where('event_id', '=', event_id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
};

export const updateDelivery = async (
  db: Db,
  { webhook_id, event_id }: DeliveryKey,
  change: Partial<Pick<WebhookDeliveryRow, 'attempts' | 'due_at'>>,
): Promise<void> => {
  await db
    .updateTable('webhook_call')
    .set(change)
    .where('webhook_id', '=', webhook_id)
    .where('event_id', '=', event_id)
    .execute();
};

/** Makes all pending deliveries of a webhook due now. Returns the number of those that were not, or had failed. */
export const makeDeliveriesDue = async (
  db: Db,
  webhookId: string,
  change: { due_at: number; attempts?: number },
): Promise<number> => {
  const { numUpdatedRows } = await db
    .updateTable('webhook_call')
    .set(change)
    .where('webhook_id', '=', webhookId)
    .where((is) => is.or([is('due_at', '>', change.due_at), is('attempts', '>', 0)]))
    .executeTakeFirst();
  return Number(numUpdatedRows);
};
