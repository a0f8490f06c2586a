import type { WebhookState, WebhookTest } from '#contract/webhooks.ts';
import type { Transact } from '../events/event-store.ts';
import type { Db } from '../platform/storage/database.ts';
import type { Lease } from '../platform/storage/lease.ts';
import {
  deleteDelivery,
  findDelivery,
  updateDelivery,
  type WebhookDeliveryRow,
} from './webhook-delivery-store.ts';
import { webhookStateChanged } from './webhook-events.ts';
import { retryAfterMs } from './retry-schedule.ts';
import { isGone } from './webhook-rules.ts';
import { countOutcome, findWebhook, stateOf, updateWebhook, type WebhookRow } from './webhook-store.ts';

type Change = Parameters<typeof updateWebhook>[2];

/** After a failed attempt: schedules the next one or gives up. A 410 pauses the webhook. */
const afterFailure = async (
  tx: Db,
  webhook: WebhookRow,
  delivery: WebhookDeliveryRow,
  { status, detail }: WebhookTest,
  nowMs: number,
): Promise<Change> => {
  const paused: Change = isGone(status)
    ? { enabled: 0, updated_at: nowMs, revision: webhook.revision + 1 }
    : {};
  const lastError = (text: string): Change => ({ ...paused, last_error_at: nowMs, last_error: text });
  const attempts = delivery.attempts + 1;
  const afterMs = retryAfterMs(attempts);
  const current = await findDelivery(tx, delivery);
  // A retry on request during the attempt has started the schedule again.
  const isRestarted = current !== undefined && current.attempts !== delivery.attempts;
  if (afterMs === undefined && !isGone(status) && !isRestarted) {
    if (await deleteDelivery(tx, delivery)) await countOutcome(tx, delivery, 'failed');
    return lastError(`${detail} Gave up after ${attempts} attempts.`);
  }
  if (!isRestarted) await updateDelivery(tx, delivery, { attempts, due_at: nowMs + (afterMs ?? 0) });
  return lastError(isGone(status) ? `${detail} Penstock paused the webhook.` : detail);
};

const afterSuccess = async (tx: Db, delivery: WebhookDeliveryRow, nowMs: number): Promise<Change> => {
  if (await deleteDelivery(tx, delivery)) await countOutcome(tx, delivery, 'delivered');
  return { last_delivered_at: nowMs };
};

const stateAfter = ({ enabled }: WebhookRow, { ok, status }: WebhookTest): WebhookState => {
  if (enabled === 0 || isGone(status)) return 'paused';
  return ok ? 'active' : 'retrying';
};

/** Writes the outcome of a delivery, in one transaction with the event if the state of the webhook changes. */
export const settleWebhookDelivery = async (
  { transact, lease, now }: { transact: Transact; lease: Pick<Lease, 'requireHeld'>; now: () => number },
  attempted: WebhookRow,
  delivery: WebhookDeliveryRow,
  outcome: WebhookTest,
): Promise<void> => {
  const nowMs = now();
  await transact(async (tx, recordEvents) => {
    await lease.requireHeld(tx);
    const webhook = await findWebhook(tx, attempted.id);
    if (webhook === undefined) return;
    // The URL was changed meanwhile, so the response of the old URL does not count.
    if (!outcome.ok && webhook.url !== attempted.url) return;
    const change = outcome.ok
      ? await afterSuccess(tx, delivery, nowMs)
      : await afterFailure(tx, webhook, delivery, outcome, nowMs);
    const [from, to] = [stateOf(webhook), stateAfter(webhook, outcome)];
    await updateWebhook(tx, webhook.id, { ...change, state: to });
    if (from !== to)
      await recordEvents(
        webhookStateChanged(webhook, {
          from,
          to,
          reason: outcome.ok ? null : outcome.detail,
          actor: null,
          at: nowMs,
        }),
      );
  });
};
