import type { Logger } from 'pino';
import type { Event } from '#contract/events.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import type { Peers } from '../platform/peers.ts';
import type { Db } from '../platform/storage/database.ts';
import { DatabaseUnavailable } from '../platform/storage/dialects/database-unavailable.ts';
import type { Timeouts } from '../platform/timeouts.ts';
import { eventsSince, lastEventSeq } from './event-routes.ts';

const EVENTS_PER_READ = 500;

/** The event log of several processes. */
export type SharedEventLog = {
  /** Tells other processes of the events of a transaction, once it is committed. */
  announce(tx: Db, ids: readonly string[]): Promise<void>;
  /** The transaction failed. */
  withdraw(ids: readonly string[]): void;
  /** Publishes all events that are committed, in the order of the log. */
  catchUp(): Promise<void>;
  /** Calls the listener with events that another process has recorded, before they are published. */
  onOthers(listener: (event: Event) => void): void;
  close(): Promise<void>;
};

/**
 * Publishes the events of all processes on the live bus of this one. Nothing is missed: each read begins where the last
 * one ended.
 */
export const openSharedEventLog = async ({
  db,
  live,
  peers,
  log,
  onResumed,
  timeouts: { eventCheckMs },
}: {
  db: Db;
  live: Pick<LiveBus, 'publish'>;
  peers: Peers;
  log: Logger;
  /** Calls the listener after a time in which messages of other processes may have been lost. */
  onResumed: (listener: () => void) => void;
  timeouts: Pick<Timeouts, 'eventCheckMs'>;
}): Promise<SharedEventLog> => {
  let lastSeq = await lastEventSeq(db);
  const ownIds = new Set<string>();
  const listeners: ((event: Event) => void)[] = [];
  /** The events from before the first listener: other processes change resources while this one starts. */
  let early: Event[] | undefined = [];

  const read = async (): Promise<void> => {
    for (;;) {
      const found = await eventsSince(db, lastSeq, EVENTS_PER_READ);
      for (const { event, seq } of found) {
        lastSeq = seq;
        if (!ownIds.delete(event.id)) {
          early?.push(event);
          for (const listener of listeners) listener(event);
        }
        live.publish('event', { event, seq });
      }
      if (found.length < EVENTS_PER_READ) return;
    }
  };

  let reading: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const catchUp = (): Promise<void> =>
    (next ??= reading = reading
      .then(() => {
        next = undefined;
        return read();
      })
      .catch((error: unknown) => {
        // The next call reads the events, at the latest after `eventCheckMs`.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'could not read new events');
      }));
  peers.subscribe('events', () => void catchUp());
  onResumed(() => void catchUp());
  const timer = setInterval(() => void catchUp(), eventCheckMs);
  timer.unref();

  return {
    announce: async (tx, ids) => {
      for (const id of ids) ownIds.add(id);
      await peers.sendIn(tx, 'events', {});
    },
    withdraw: (ids) => {
      for (const id of ids) ownIds.delete(id);
    },
    catchUp,
    onOthers: (listener) => {
      listeners.push(listener);
      for (const event of early ?? []) listener(event);
      early = undefined;
    },
    close: async () => {
      clearInterval(timer);
      await reading;
    },
  };
};
