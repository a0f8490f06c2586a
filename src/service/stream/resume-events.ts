import type { Event } from '#contract/events.ts';
import { eventsAfter, lastEventId } from '../events/event-routes.ts';
import type { Db } from '../platform/storage/database.ts';
import { frameText, type StreamClient } from './stream-client.ts';

/** How many events a client that comes back is told at the most; beyond that it reads again. */
const MAX_RESUMED = 1_000;

type SendEvent = (event: Event, text: () => string) => void;

/**
 * Tells events in the order of the log, each once: what was missed after `lastId` first, while what happens meanwhile
 * waits behind it.
 */
export const createEventFeed = (db: Db) => {
  let client: StreamClient | undefined;
  const told = new Set<string>();
  const waiting: (() => void)[] = [];

  const onEvent: SendEvent = (event, text) => {
    const recordEvents = () => {
      if (!told.delete(event.id)) client?.send(text());
    };
    if (client === undefined) waiting.push(recordEvents);
    else recordEvents();
  };

  /** `lastId`: the `Last-Event-ID` of a client that comes back; undefined: it begins now. */
  const begin = async (of: StreamClient, lastId: string | undefined): Promise<void> => {
    const missed = lastId === undefined ? [] : await eventsAfter(db, lastId, MAX_RESUMED);
    if (missed === undefined) of.reset();
    for (const event of missed ?? []) {
      told.add(event.id);
      of.send(frameText('event', event, event.id));
    }
    if (lastId === undefined || missed === undefined) {
      // Without data: nothing happens, but whoever comes back goes on from here.
      const last = await lastEventId(db);
      if (last !== undefined) of.send(`id: ${last}\n\n`);
    }
    client = of;
    for (const recordEvents of waiting.splice(0)) recordEvents();
  };

  return { onEvent, begin };
};
