import type { WebhookRetry } from '#contract/webhooks.ts';
import { partyOf, type RecordEvents, type Transact } from '../events/event-store.ts';
import type { Actor } from '../platform/http/auth.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { Db } from '../platform/storage/database.ts';
import { makeDeliveriesDue } from './webhook-delivery-store.ts';
import { webhookEvent } from './webhook-events.ts';
import { findWebhook, getWebhook, type WebhookRow } from './webhook-store.ts';

type Dependencies = { transact: Transact; now: () => number };

/** Their schedule starts again, so that no attempt is used up. The event wakes the sender. */
const retryIn = async (
  { tx, recordEvents }: { tx: Db; recordEvents: RecordEvents },
  webhook: WebhookRow,
  by: { actor: Actor; at: number },
): Promise<number> => {
  const deliveries = await makeDeliveriesDue(tx, webhook.id, { due_at: by.at, attempts: 0 });
  if (deliveries > 0)
    await recordEvents(
      webhookEvent('webhook.retried', webhook, {
        actor: partyOf(by.actor),
        at: by.at,
        data: { deliveries },
      }),
    );
  return deliveries;
};

/**
 * Retries the pending deliveries of a webhook now. Returns their number and the time of the request.
 * @throws HttpProblem `not-found`; `invalid-state` if the webhook is paused
 */
export const retryDeliveries = (
  { transact, now }: Dependencies,
  id: string,
  actor: Actor,
): Promise<WebhookRetry> =>
  transact(async (tx, recordEvents) => {
    const webhook = await getWebhook(tx, id);
    if (webhook.enabled === 0)
      throw new HttpProblem(
        'invalid-state',
        `The webhook “${webhook.name}” is paused. Resume it to send its pending events.`,
      );
    const at = now();
    return { deliveries: await retryIn({ tx, recordEvents }, webhook, { actor, at }), at: toIsoTime(at) };
  });

/** Retries the pending deliveries of a webhook now, unless it is paused or deleted. */
export const retryIfEnabled = ({ transact, now }: Dependencies, id: string, actor: Actor): Promise<void> =>
  transact(async (tx, recordEvents) => {
    const webhook = await findWebhook(tx, id);
    if (webhook?.enabled === 1) await retryIn({ tx, recordEvents }, webhook, { actor, at: now() });
  });
