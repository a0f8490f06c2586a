import type { Event } from '#contract/events.ts';
import { eventsAfter, lastEventId } from '../events/event-routes.ts';
import type { Db } from '../platform/storage/database.ts';
import { frameText, type StreamClient } from './stream-client.ts';

/** Number of missed events that a reconnecting client gets. If there are more, it gets a `reset`. */
const MAX_RESUMED = 1_000;

type SendEvent = (event: Event, text: () => string) => void;

/**
 * Sends events in the order of the log, each once. Sends missed events after `lastId` first; new events wait meanwhile.
 */
export const createEventFeed = (db: Db) => {
  let client: StreamClient | undefined;
  const sentIds = new Set<string>();
  const waiting: (() => void)[] = [];

  const onEvent: SendEvent = (event, text) => {
    const sendOnce = () => {
      if (!sentIds.delete(event.id)) client?.send(text());
    };
    if (client === undefined) waiting.push(sendOnce);
    else sendOnce();
  };

  /** `lastId`: the `Last-Event-ID` of a reconnecting client; undefined for a new client. */
  const begin = async (of: StreamClient, lastId: string | undefined): Promise<void> => {
    const missed = lastId === undefined ? [] : await eventsAfter(db, lastId, MAX_RESUMED);
    if (missed === undefined) of.reset();
    for (const event of missed ?? []) {
      sentIds.add(event.id);
      of.send(frameText('event', event, event.id));
    }
    if (lastId === undefined || missed === undefined) {
      // Sets the event ID without an event, so that the client can resume from here.
      const last = await lastEventId(db);
      if (last !== undefined) of.send(`id: ${last}\n\n`);
    }
    client = of;
    for (const sendOnce of waiting.splice(0)) sendOnce();
  };

  return { onEvent, begin };
};
