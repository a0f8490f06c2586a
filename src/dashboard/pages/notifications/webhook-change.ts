import { eventTypes } from '#contract/events.ts';
import type { NewWebhook, Webhook, WebhookChange } from '#contract/webhooks.ts';
import { usualEvents } from './event-words.ts';

export type WebhookValues = Pick<NewWebhook, 'name' | 'url' | 'events'>;

/** A webhook as the form holds it. */
export const formValuesOf = (webhook: Webhook | undefined): WebhookValues => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  events:
    webhook === undefined ? [...usualEvents] : eventTypes.filter((type) => webhook.events.includes(type)),
});

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

/** What of a webhook the form changed. */
export const changeOf = (webhook: Webhook, { name, url, events }: WebhookValues): WebhookChange => ({
  ...(name !== webhook.name && { name }),
  ...(url !== webhook.url && { url }),
  ...(!isSame(events, formValuesOf(webhook).events) && { events }),
});
