import type { Event, EventType } from '#contract/events.ts';
import type { Actor } from '../platform/http/auth.ts';
import type { LiveBus } from '../platform/live-bus.ts';
import { inWrite, type Db } from '../platform/storage/database.ts';
import { newId } from '../platform/storage/new-id.ts';
import { ROWS_PER_INSERT, slicesOf } from '../platform/storage/slices.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { SharedEventLog } from './shared-event-log.ts';

export type Party = { type: string; id: string; name: string };
export type NewEvent = {
  type: EventType;
  subject: Party;
  /** The actor; null: Penstock. */
  actor: Party | null;
  data?: Record<string, unknown>;
  /** Epoch ms. */
  at: number;
};

export const partyOf = (actor: Actor): Party => ({
  type: actor.kind === 'key' ? 'api-key' : 'session',
  id: actor.id,
  name: actor.name,
});

/** Returns the position of each event in the log. */
const insertEvents = async (db: Db, events: readonly Event[]): Promise<Map<string, number>> => {
  const positions = new Map<string, number>();
  for (const some of slicesOf(events, ROWS_PER_INSERT)) {
    const rows = await db
      .insertInto('event')
      .values(
        some.map(({ id, at, type, subject, actor, data }) => ({
          id,
          at: Date.parse(at),
          type,
          subject_type: subject.type,
          subject_id: subject.id,
          subject_name: subject.name,
          actor_type: actor?.type ?? null,
          actor_id: actor?.id ?? null,
          actor_name: actor?.name ?? null,
          data: JSON.stringify(data),
        })),
      )
      .returning(['id', 'seq'])
      .execute();
    for (const { id, seq } of rows) positions.set(id, Number(seq));
  }
  return positions;
};

/** Records events in the transaction of the change that they describe. */
export type RecordEvents = (...events: NewEvent[]) => Promise<void>;

/** Makes a change and records its events in one transaction. Open streams receive the events after the commit. */
export type Transact = <T>(work: (tx: Db, recordEvents: RecordEvents) => Promise<T>) => Promise<T>;

/** Called in each transaction with its events. Its writes are committed with them. */
export type EventHook = (tx: Db) => (events: readonly Event[]) => Promise<void>;

type TransactDependencies = {
  db: Db;
  live: Pick<LiveBus, 'publish'>;
  /** Queues the deliveries of webhooks. */
  hook: EventHook;
  /** Undefined: this process has the database for itself. */
  shared: SharedEventLog | undefined;
};

export const createTransact =
  ({ db, live, hook, shared }: TransactDependencies): Transact =>
  async (work) => {
    const recorded: { event: Event; seq: number }[] = [];
    const ids = () => recorded.map(({ event }) => event.id);
    const write = async (tx: Db) => {
      const onEvents = hook(tx);
      const result = await work(tx, async (...events) => {
        const rows = events.map(({ at, data = {}, ...event }): Event => ({
          id: newId('evt'),
          at: toIsoTime(at),
          data,
          ...event,
        }));
        const positions = await insertEvents(tx, rows);
        await onEvents(rows);
        for (const event of rows) recorded.push({ event, seq: positions.get(event.id)! });
      });
      if (recorded.length > 0) await shared?.announce(tx, ids());
      return result;
    };
    try {
      const result = await inWrite(db, write);
      if (shared === undefined) for (const message of recorded) live.publish('event', message);
      else if (recorded.length > 0) await shared.catchUp();
      return result;
    } catch (error) {
      shared?.withdraw(ids());
      throw error;
    }
  };
