import { eventTypes } from '#contract/events.ts';
import { versionOfEntries, type EditedFields } from '../../kit/forms/edited-fields.ts';
import { kindOf } from '../../resources/events/event-kinds.ts';
import type { WebhookValues } from './webhook-change.ts';

const labels: Record<string, string> = { name: 'Name', url: 'Address', events: 'Events' };

/** The fields of a webhook's form; its events are one. */
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
          .map((type) => `${kindOf(type).group}: ${kindOf(type).kind}`)
          .join('\n')
      : String(value),
};
