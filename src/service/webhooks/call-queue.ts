import type { EventHook } from '../events/event-store.ts';
import { insertCalls, listListeners } from './webhook-call-store.ts';
import { eventsOf } from './webhook-store.ts';

/**
 * Queues the calls that events lead to, in their own transaction: neither is ever there without the other. The
 * webhooks are read once in a transaction, and again where one of its events tells of a change of them.
 */
export const createCallQueue: EventHook = (tx) => {
  let listeners: { id: string; types: ReadonlySet<string> }[] | undefined;
  return async (events) => {
    if (events.length === 0) return;
    if (listeners === undefined || events.some(({ subject }) => subject.type === 'webhook'))
      listeners = (await listListeners(tx)).map((row) => ({ id: row.id, types: new Set(eventsOf(row)) }));
    for (const { id, types } of listeners) {
      // A webhook's own changes of state would go round for ever.
      const wanted = events.filter(
        ({ type, subject }) => types.has(type) && !(type === 'webhook.state-changed' && subject.id === id),
      );
      if (wanted.length > 0) await insertCalls(tx, id, wanted, Date.parse(wanted.at(-1)?.at ?? ''));
    }
  };
};
