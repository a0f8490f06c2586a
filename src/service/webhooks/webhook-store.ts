import type { Insertable, Selectable, Updateable } from 'kysely';
import type * as z from 'zod';
import { webhookSchema, type Webhook, type webhooksApi } from '#contract/webhooks.ts';
import { foldCase } from '#contract/fold-case.ts';
import { notFound } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import type { WebhookDeliveryTable, WebhookTable } from './webhook-table.ts';
import { pageBy, type Ordering } from '../platform/storage/keyset.ts';
import { contains } from '../platform/http/search.ts';
import { lastErrorOf } from '../platform/storage/last-error.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';

export type WebhookRow = Selectable<WebhookTable>;

const { events: eventsSchema, state: stateSchema } = webhookSchema.shape;
export const stateOf = (row: Pick<WebhookRow, 'state'>) => stateSchema.parse(row.state);
export const eventsOf = (row: Pick<WebhookRow, 'events'>) => eventsSchema.parse(JSON.parse(row.events));

/** `next_due_at`: when its next delivery is due; null: none is pending. */
export type WebhookWithDue = WebhookRow & { next_due_at: number | null };

const selectWithDue = (db: Db) =>
  db
    .selectFrom('webhook')
    .selectAll('webhook')
    .select((is) =>
      is
        .selectFrom('webhook_call')
        .select((call) => call.fn.min('webhook_call.due_at').as('due_at'))
        .whereRef('webhook_call.webhook_id', '=', 'webhook.id')
        .as('next_due_at'),
    );

/** The API model of a webhook, without its secret. */
export const webhookOf = (row: WebhookWithDue): Webhook => ({
  id: row.id,
  name: row.name,
  url: row.url,
  events: eventsOf(row),
  tag: row.tag,
  digest: row.digest === 1,
  enabled: row.enabled === 1,
  state: stateOf(row),
  calls: { delivered: row.delivered, pending: row.pending, failed: row.failed },
  nextAttemptAt: row.enabled === 1 ? toIsoTimeOrNull(row.next_due_at) : null,
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
  let rows = selectWithDue(db);
  if (query.q) rows = rows.where(contains('name_key', query.q));
  return pageBy(rows, ordering, query);
};

export const findWebhook = (db: Db, id: string): Promise<WebhookRow | undefined> =>
  db.selectFrom('webhook').selectAll().where('id', '=', id).executeTakeFirst();

export const getWebhook = async (db: Db, id: string): Promise<WebhookWithDue> => {
  const row = await selectWithDue(db).where('webhook.id', '=', id).executeTakeFirst();
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

/** Webhooks whose deliveries fail, or that Penstock paused because the receiver is gone, with the time of this state. */
export const listFailingWebhooks = (db: Db) =>
  db
    .selectFrom('webhook')
    .select(({ selectFrom }) => [
      'id',
      'name',
      'enabled',
      'pending',
      'last_error',
      selectFrom('event')
        .select(({ fn }) => fn.max('at').as('at'))
        .whereRef('subject_id', '=', 'webhook.id')
        .where('type', '=', 'webhook.state-changed')
        .as('since'),
    ])
    .where(({ or, and, eb }) =>
      // Penstock pauses a webhook at the time of its last error; a person edits it later.
      or([
        eb('state', '=', 'retrying'),
        and([eb('enabled', '=', 0), eb('last_error_at', '=', eb.ref('updated_at'))]),
      ]),
    )
    .execute();
