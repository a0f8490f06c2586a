import type { NewWebhook, Webhook, WebhookChange } from '#contract/webhooks.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';
import { choiceWordsOf, webhookTypes } from './webhook-event-words.ts';
import { formatBoolean } from '../../ui/format/format-boolean.ts';

export type WebhookValues = Pick<NewWebhook, 'name' | 'url' | 'events'> & { tag: string; digest: boolean };

/** The events that a new webhook begins with. */
const defaultEvents = [
  'device.offline',
  'pipeline.degraded',
  'pipeline.failed',
  'pipeline.recovered',
  'api-key.expiring',
  'service.storage-low',
] as const;

/** The form values of a webhook. */
export const formValuesOf = (webhook: Webhook | undefined): WebhookValues => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  events:
    webhook === undefined ? [...defaultEvents] : webhookTypes.filter((type) => webhook.events.includes(type)),
  tag: webhook?.tag ?? '',
  digest: webhook?.digest ?? false,
});

/** The webhook to create from the form values. */
export const newWebhookOf = ({ tag, ...values }: WebhookValues): NewWebhook => ({
  ...values,
  tag: tag === '' ? null : tag,
});

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each));

/** The fields that the form changed. */
export const changeOf = (webhook: Webhook, values: WebhookValues): WebhookChange => {
  const { name, url, events, tag, digest } = { ...values, tag: values.tag === '' ? null : values.tag };
  return {
    ...(name !== webhook.name && { name }),
    ...(url !== webhook.url && { url }),
    ...(!isSame(events, formValuesOf(webhook).events) && { events }),
    ...(tag !== webhook.tag && { tag }),
    ...(digest !== webhook.digest && { digest }),
  };
};

const labels: Record<string, string> = {
  name: 'Name',
  url: 'Address',
  events: 'Events',
  tag: 'Only devices with tag',
  digest: 'At most one delivery a minute',
};

/** The fields of a webhook's form; its events are one field. */
export const webhookFields: EditedFields<WebhookValues> = {
  versionOf: ({ events, ...values }) =>
    versionOfEntries([
      ...Object.entries(values),
      ['events', webhookTypes.filter((type) => events.includes(type)).join(' ')],
    ]),
  put: (values, key, value) => {
    if (key === 'digest') return { ...values, digest: value === true };
    if (key !== 'events') return { ...values, [key]: value ?? '' };
    const chosen = String(value ?? '').split(' ');
    return { ...values, events: webhookTypes.filter((type) => chosen.includes(type)) };
  },
  labelOf: (key) => labels[key] ?? key,
  textOf: (key, value) => {
    if (key === 'digest') return formatBoolean(value === true);
    if (key !== 'events') return String(value);
    return String(value)
      .split(' ')
      .map(choiceWordsOf)
      .map(({ group, label }) => `${group}: ${label}`)
      .join('\n');
  },
};
