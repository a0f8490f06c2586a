import { webhooksApi, type SignedWebhook, type Webhook } from '#contract/webhooks.ts';
import { foldCase } from '#contract/fold-case.ts';
import { updatedData } from '../events/updated-data.ts';
import { partyOf, type Transact } from '../events/event-store.ts';
import { Answer, requireMatch } from '../platform/http/answer.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { route } from '../platform/http/route.ts';
import type { Outbound } from '../platform/outbound/outbound.ts';
import type { Db } from '../platform/storage/database.ts';
import { ignoreUnwritable } from '../platform/storage/disk-full.ts';
import { newId } from '../platform/storage/new-id.ts';
import { retryDeliveries, retryIfEnabled } from './retry-on-request.ts';
import { makeDeliveriesDue } from './webhook-delivery-store.ts';
import { makeDigestDue } from './webhook-digest-store.ts';
import { createTestDelivery, webhookEvent, webhookStateChanged } from './webhook-events.ts';
import { requireAllowedUrl, stateAfterChange } from './webhook-rules.ts';
import type { WebhookSender } from './webhook-sender.ts';
import { newWebhookSecret } from './signing-secrets.ts';
import {
  deleteWebhook,
  findWebhookByName,
  getWebhook,
  insertWebhook,
  listWebhooks,
  stateOf,
  updateWebhook,
  webhookOf,
  type WebhookRow,
  type WebhookWithDue,
} from './webhook-store.ts';
import { toIsoTime } from '../platform/iso-time.ts';

/** Names are unique, ignoring case. */
const requireFreeName = async (db: Db, name: string, ownId?: string): Promise<void> => {
  const holder = await findWebhookByName(db, name);
  if (holder === undefined || holder.id === ownId) return;
  throw new HttpProblem('conflict', `A webhook named “${holder.name}” already exists. Choose another name.`, {
    errors: [{ pointer: '/name', code: 'taken', detail: 'Already used by another webhook.' }],
  });
};

const nameColumns = (name: string) => ({ name, name_key: foldCase(name) });
const eventsColumn = (events: readonly string[]): string => JSON.stringify([...new Set(events)]);

const answer = (row: WebhookWithDue): Answer<Webhook> => new Answer(webhookOf(row), { etag: row.revision });

type Dependencies = {
  db: Db;
  transact: Transact;
  now: () => number;
  outbound: Outbound;
  webhooks: Pick<WebhookSender, 'test'>;
};

export const webhookRoutes = ({ db, transact, now, outbound, webhooks }: Dependencies) => {
  return [
    route(webhooksApi.list, async ({ query }) => {
      const { rows, ...page } = await listWebhooks(db, query);
      return { data: rows.map(webhookOf), ...page };
    }),

    route(webhooksApi.create, async ({ body, actor, saveResponse }) => {
      requireAllowedUrl(outbound, body.url);
      const nowMs = now();
      const row: WebhookRow = {
        id: newId('whk'),
        ...nameColumns(body.name),
        url: body.url,
        events: eventsColumn(body.events),
        tag: body.tag,
        digest: body.digest ? 1 : 0,
        enabled: body.enabled ? 1 : 0,
        secret: newWebhookSecret(),
        old_secret: null,
        old_secret_until: null,
        state: body.enabled ? 'active' : 'paused',
        delivered: 0,
        pending: 0,
        failed: 0,
        last_delivered_at: null,
        last_error_at: null,
        last_error: null,
        created_at: nowMs,
        updated_at: nowMs,
        revision: 1,
      };
      /** The secret is only in the first response. An idempotent replay omits it. */
      const created = (secret: string | null): Answer<SignedWebhook> =>
        new Answer(
          { ...webhookOf({ ...row, next_due_at: null }), secret },
          { status: 201, etag: row.revision, location: `/v1/webhooks/${row.id}` },
        );
      await transact(async (tx, recordEvents) => {
        await requireFreeName(tx, row.name);
        await insertWebhook(tx, row);
        await recordEvents(
          webhookEvent('webhook.created', row, {
            actor: partyOf(actor),
            at: nowMs,
            data: { events: body.events },
          }),
        );
        await saveResponse(tx, created(null));
      });
      return created(row.secret);
    }),

    route(webhooksApi.get, async ({ params }) => answer(await getWebhook(db, params.id))),

    route(webhooksApi.change, async ({ params, body, actor, request }) => {
      if (body.url !== undefined) requireAllowedUrl(outbound, body.url);
      await transact(async (tx, recordEvents) => {
        const old = await getWebhook(tx, params.id);
        requireMatch(request, old.revision);
        const name = body.name ?? old.name;
        await requireFreeName(tx, name, old.id);
        const isMoved = body.url !== undefined && body.url !== old.url;
        const enabled = body.enabled ?? old.enabled === 1;
        const digest = body.digest ?? old.digest === 1;
        const [from, to] = [stateOf(old), stateAfterChange(stateOf(old), { enabled, isMoved })];
        const by = { actor: partyOf(actor), at: now() };
        await updateWebhook(tx, old.id, {
          ...nameColumns(name),
          url: body.url ?? old.url,
          events: body.events === undefined ? old.events : eventsColumn(body.events),
          tag: body.tag === undefined ? old.tag : body.tag,
          digest: digest ? 1 : 0,
          enabled: enabled ? 1 : 0,
          state: to,
          // The last error belongs to the previous URL.
          ...(isMoved ? { last_error: null, last_error_at: null } : {}),
          updated_at: by.at,
          revision: old.revision + 1,
        });
        // After a change of URL or a resume, pending deliveries are retried immediately. A new URL resets their
        // attempts.
        if (isMoved) await makeDeliveriesDue(tx, old.id, { due_at: by.at, attempts: 0 });
        else if (from === 'paused' && enabled) await makeDeliveriesDue(tx, old.id, { due_at: by.at });
        // Later events are sent immediately, and must not overtake collected ones for a minute.
        if (!digest) await makeDigestDue(tx, old.id, by.at);
        const subject = { id: old.id, name };
        const data = updatedData(body, { isPaused: from === 'paused' });
        await recordEvents(webhookEvent('webhook.updated', subject, { ...by, data }));
        if (from !== to) await recordEvents(webhookStateChanged(subject, { ...by, from, to, reason: null }));
      });
      return answer(await getWebhook(db, params.id));
    }),

    route(webhooksApi.remove, async ({ params, actor, request }) => {
      await transact(async (tx, recordEvents) => {
        const row = await getWebhook(tx, params.id);
        requireMatch(request, row.revision);
        await deleteWebhook(tx, row.id);
        await recordEvents(webhookEvent('webhook.deleted', row, { actor: partyOf(actor), at: now() }));
      });
      return undefined;
    }),

    route(webhooksApi.test, async ({ params, actor }) => {
      const row = await getWebhook(db, params.id);
      const result = await webhooks.test(row, createTestDelivery(row, { actor: partyOf(actor), at: now() }));
      // The receiver answers again. The result is shown even if the disk is full, or the webhook was deleted meanwhile.
      if (result.ok) await ignoreUnwritable(retryIfEnabled({ transact, now }, row.id, actor));
      return result;
    }),

    route(webhooksApi.retry, ({ params, actor }) => retryDeliveries({ transact, now }, params.id, actor)),

    route(webhooksApi.rotate, async ({ params, body, actor, request }) => {
      const secret = newWebhookSecret();
      await transact(async (tx, recordEvents) => {
        const old = await getWebhook(tx, params.id);
        requireMatch(request, old.revision);
        const by = { actor: partyOf(actor), at: now() };
        const endsAt = by.at + body.overlapSeconds * 1_000;
        await updateWebhook(tx, old.id, {
          secret,
          ...(body.overlapSeconds === 0
            ? { old_secret: null, old_secret_until: null }
            : { old_secret: old.secret, old_secret_until: endsAt }),
          updated_at: by.at,
          revision: old.revision + 1,
        });
        await recordEvents(
          webhookEvent('webhook.rotated', old, { ...by, data: { endsAt: toIsoTime(endsAt) } }),
        );
      });
      const row = await getWebhook(db, params.id);
      return new Answer({ ...webhookOf(row), secret }, { etag: row.revision });
    }),
  ];
};
