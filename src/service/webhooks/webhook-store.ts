import type { Insertable, Selectable, Updateable } from 'kysely';
import type * as z from 'zod';
import { webhookSchema, type Webhook, type webhooksApi } from '#contract/webhooks.ts';
import { foldCase } from '#contract/text.ts';
import { notFound } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import type { WebhookDeliveryTable, WebhookTable } from './webhook-table.ts';
import { contains, pageBy, type Ordering } from '../platform/storage/keyset.ts';
import { lastErrorOf } from '../platform/storage/last-error.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';

export type WebhookRow = Selectable<WebhookTable>;

const { events: eventsSchema, state: stateSchema } = webhookSchema.shape;
export const stateOf = (row: Pick<WebhookRow, 'state'>) => stateSchema.parse(row.state);
export const eventsOf = (row: Pick<WebhookRow, 'events'>) => eventsSchema.parse(JSON.parse(row.events));

/** The API model of a webhook, without its secret. */
export const webhookOf = (row: WebhookRow): Webhook => ({
  id: row.id,
  name: row.name,
  url: row.url,
  events: eventsOf(row),
  tag: row.tag,
  digest: row.digest === 1,
  enabled: row.enabled === 1,
  state: stateOf(row),
  calls: { delivered: row.delivered, pending: row.pending, failed: row.failed },
  lastDeliveredAt: toIsoTimeOrNull(row.last_delivered_at),
  lastError: lastErrorOf(row),
  createdAt: toIsoTime(row.created_at),
  updatedAt: toIsoTime(row.updated_at),
});

const ordering: Ordering<'webhook'> = {
  columns: { name: { text: 'webhook.name_key' }, createdAt: { integer: 'webhook.created_at' } },
  fallback: 'name',
  id: 'webhook.id',
};

export const listWebhooks = (db: Db, query: z.output<typeof webhooksApi.list.query>) => {
  let rows = db.selectFrom('webhook').selectAll('webhook');
  if (query.q) rows = rows.where(contains('name_key', query.q));
  return pageBy(rows, ordering, query);
};

export const findWebhook = (db: Db, id: string): Promise<WebhookRow | undefined> =>
  db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();

export const getWebhook = async (db: Db, id: string): Promise<WebhookRow> => {
  const row = await findWebhook(db, id);
  if (row === undefined) throw notFound('webhook');
  return row;
};

export const findWebhookByName = (db: Db, name: string): Promise<WebhookRow | undefined> =>
  db.selectFrom('webhook').selectAll().where('name_key', '=', foldCase(name)).executeTakeFirst();

export const insertWebhook = async (db: Db, row: Insertable<WebhookTable>): Promise<void> => {
  await db.insertInto('webhook').values(row).execute();
};

export const updateWebhook = async (db: Db, id: string, change: Updateable<WebhookTable>): Promise<void> => {
  await db.updateTable('webhook').set(change).where('id', '=', id).execute();
};

/** Counts the events of a completed delivery. */
export const countOutcome = async (
  db: Db,
  { webhook_id, events }: Pick<WebhookDeliveryTable, 'webhook_id' | 'events'>,
  how: 'delivered' | 'failed',
): Promise<void> => {
  await db
    .updateTable('webhook')
    .set((is) => ({ pending: is('pending', '-', events), [how]: is(how, '+', events) }))
    .where('id', '=', webhook_id)
    .execute();
};

/** Also deletes its pending deliveries and its open digest. */
export const deleteWebhook = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('webhook').where('id', '=', id).execute();
};
