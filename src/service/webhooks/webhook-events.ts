import type { Event } from '#contract/events.ts';
import type { WebhookState } from '#contract/webhooks.ts';
import type { NewEvent, Party } from '../events/event-store.ts';
import { newId } from '../platform/storage/new-id.ts';
import type { WebhookRow } from './webhook-store.ts';
import { toIsoTime } from '../platform/iso-time.ts';

type Subject = Pick<WebhookRow, 'id' | 'name'>;
type By = { actor: Party | null; at: number };

const webhookParty = ({ id, name }: Subject): Party => ({ type: 'webhook', id, name });

export const webhookEvent = (
  type: 'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.rotated' | 'webhook.retried',
  webhook: Subject,
  { data = {}, ...by }: By & { data?: Record<string, unknown> },
): NewEvent => ({ type, subject: webhookParty(webhook), data, ...by });

/** `reason`: why the last delivery failed. */
export const webhookStateChanged = (
  webhook: Subject,
  { from, to, reason, ...by }: By & { from: WebhookState; to: WebhookState; reason: string | null },
): NewEvent => ({
  type: 'webhook.state-changed',
  subject: webhookParty(webhook),
  data: { from, to, reason },
  ...by,
});

/** A test delivery: has the form of an event, with a type that no event has. */
export const createTestDelivery = (webhook: Subject, { actor, at }: By): { id: string; body: string } => {
  const timestamp = toIsoTime(at);
  const type = 'webhook.test';
  const data: Event = {
    id: newId('evt'),
    at: timestamp,
    type,
    subject: webhookParty(webhook),
    actor,
    data: {},
  };
  return { id: data.id, body: JSON.stringify({ type, timestamp, data }) };
};
