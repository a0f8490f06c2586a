import type { EventHook } from '../events/event-store.ts';
import { insertDeliveries, listListeners } from './webhook-delivery-store.ts';
import { eventsOf } from './webhook-store.ts';

/**
 * Queues webhook deliveries in the transaction of their events, so that neither is stored without the other. Reads the
 * webhooks once per transaction, and again after an event about a change of a webhook.
 */
export const createWebhookDeliveryQueue: EventHook = (tx) => {
  let listeners: { id: string; types: ReadonlySet<string> }[] | undefined;
  return async (events) => {
    if (events.length === 0) return;
    if (listeners === undefined || events.some(({ subject }) => subject.type === 'webhook'))
      listeners = (await listListeners(tx)).map((row) => ({ id: row.id, types: new Set(eventsOf(row)) }));
    for (const { id, types } of listeners) {
      // A webhook does not get events about its own state, which would cause an endless loop.
      const wanted = events.filter(
        ({ type, subject }) => types.has(type) && !(type === 'webhook.state-changed' && subject.id === id),
      );
      if (wanted.length > 0) await insertDeliveries(tx, id, wanted, Date.parse(wanted.at(-1)?.at ?? ''));
    }
  };
};
