import { eventsAfter, lastEventId } from '../events/event-routes.ts';
import type { Db } from '../platform/storage/database.ts';
import { frameText, type StreamClient } from './stream-client.ts';

/** Number of missed events that a reconnecting client gets. If there are more, it gets a `reset`. */
const MAX_RESUMED = 1_000;

/** `seq`: the position of the event in the log. */
type SendEvent = (seq: number, text: () => string) => void;

/**
 * Sends events in the order of the log, each once. Sends missed events after `lastId` first; new events wait meanwhile.
 */
export const createEventFeed = (db: Db) => {
  let client: StreamClient | undefined;
  /** The log shows an event before it is published: what a client has received may still be published to it. */
  let receivedSeq = 0;
  const waiting: (() => void)[] = [];

  const onEvent: SendEvent = (seq, text) => {
    const sendOnce = () => {
      if (seq > receivedSeq) client?.send(text());
    };
    if (client === undefined) waiting.push(sendOnce);
    else sendOnce();
  };

  /** `lastId`: the `Last-Event-ID` of a reconnecting client; undefined for a new client. */
  const begin = async (of: StreamClient, lastId: string | undefined): Promise<void> => {
    const missed = lastId === undefined ? undefined : await eventsAfter(db, lastId, MAX_RESUMED);
    if (missed === undefined) {
      if (lastId !== undefined) of.reset();
      // Sets the event ID without an event, so that the client can resume from here.
      const last = await lastEventId(db);
      if (last !== undefined) of.send(`id: ${last}\n\n`);
    } else {
      for (const event of missed.events) of.send(frameText('event', event, event.id));
      receivedSeq = missed.lastSeq;
    }
    client = of;
    for (const sendOnce of waiting.splice(0)) sendOnce();
  };

  return { onEvent, begin };
};
