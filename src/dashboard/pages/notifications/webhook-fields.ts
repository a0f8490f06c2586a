import { eventTypes } from '#contract/events.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';
import { eventKindOf } from '../../resources/events/event-words.ts';
import type { NewWebhook, Webhook, WebhookChange } from '#contract/webhooks.ts';

export type WebhookValues = Pick<NewWebhook, 'name' | 'url' | 'events'>;

/** The events that a new webhook begins with. */
const defaultEvents = ['device.offline', 'pipeline.state-changed', 'api-key.expiring'] as const;

/** The form values of a webhook. */
export const formValuesOf = (webhook: Webhook | undefined): WebhookValues => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  events:
    webhook === undefined ? [...defaultEvents] : eventTypes.filter((type) => webhook.events.includes(type)),
});

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

/** The fields that the form changed. */
export const changeOf = (webhook: Webhook, { name, url, events }: WebhookValues): WebhookChange => ({
  ...(name !== webhook.name && { name }),
  ...(url !== webhook.url && { url }),
  ...(!isSame(events, formValuesOf(webhook).events) && { events }),
});

const labels: Record<string, string> = { name: 'Name', url: 'Address', events: 'Events' };

/** The fields of a webhook's form; its events are one field. */
export const webhookFields: EditedFields<WebhookValues> = {
  versionOf: ({ name, url, events }) =>
    versionOfEntries([
      ['name', name],
      ['url', url],
      ['events', eventTypes.filter((type) => events.includes(type)).join(' ')],
    ]),
  put: (values, key, value) =>
    key === 'events'
      ? {
          ...values,
          events: eventTypes.filter((type) =>
            String(value ?? '')
              .split(' ')
              .includes(type),
          ),
        }
      : { ...values, [key]: value ?? '' },
  labelOf: (key) => labels[key] ?? key,
  textOf: (key, value) =>
    key === 'events'
      ? String(value)
          .split(' ')
          .map(eventKindOf)
          .map(({ group, label }) => `${group}: ${label}`)
          .join('\n')
      : String(value),
};
