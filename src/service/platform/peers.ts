import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { StreamFrame } from '#contract/stream.ts';
import type { Value } from '#contract/telemetry.ts';
import type { Db } from './storage/database.ts';
import { DatabaseUnavailable } from './storage/dialects/database-unavailable.ts';

/** Messages to the other processes on the same database. */
export type PeerTopics = {
  /** The event log has new events. Sent in their transaction. */
  events: Record<string, never>;
  /** The ledger of a pipeline changed. `pending` samples, `spoolBytes` in all, were added to its spool. */
  counted: {
    pipelineId: string;
    received: number;
    rejected: number;
    /** Number of rejected samples by reason. */
    reasons: Readonly<Record<string, number>>;
    pending: number;
    spoolBytes: number;
  };
  /** The spool of a pipeline rejected samples. */
  full: { pipelineId: string };
  /** Samples of writes were accepted. */
  accepted: { samples: number };
  /** An unknown token came from an address. */
  failed: { address: string };
  /** A sender registered devices. */
  registered: { registrant: string; devices: number };
  /** Live streams of the sender follow these devices for the next seconds. */
  followed: { devices: string[] };
  device: { frame: StreamFrame<'device'>; hasChangedState: boolean };
  pipeline: StreamFrame<'pipeline'>;
  telemetry: { device: string; metric: string; ts: number[]; value: Value[] };
  replaced: { actorId: string; streamId: string };
};

type Topic = keyof PeerTopics;
type Listener<K extends Topic> = (message: PeerTopics[K]) => void;

/** The other processes on the same database. Messages may be lost with their sender, or while the database is unreachable. */
export type Peers = {
  send<K extends Topic>(topic: K, message: PeerTopics[K]): void;
  /** Sends after the commit of a transaction, and never without it. */
  sendIn<K extends Topic>(tx: Db, topic: K, message: PeerTopics[K]): Promise<void>;
  subscribe<K extends Topic>(topic: K, listener: Listener<K>): void;
  close(): Promise<void>;
};

/** For a process that has the database for itself. */
export const noPeers: Peers = {
  send: () => undefined,
  sendIn: async () => undefined,
  subscribe: () => undefined,
  close: async () => undefined,
};

export const PEER_CHANNEL = 'penstock';

/** PostgreSQL accepts 8,000 bytes: https://www.postgresql.org/docs/current/sql-notify.html */
const MAX_PAYLOAD_BYTES = 7_800;
/** Messages that are sent together. */
const SEND_EVERY_MS = 50;
/** While the database is slow, further messages are discarded. */
const MAX_WAITING = 10_000;

/**
 * Sends messages by NOTIFY, in the order of the calls, to all processes that listen. A message that does not fit is discarded.
 * @param onPayload subscribes to the payloads that the connection of this process receives
 */
export const createPeers = ({
  db,
  log,
  onPayload,
}: {
  db: Db;
  log: Logger;
  onPayload: (listener: (payload: string) => void) => void;
}): Peers => {
  const from = randomUUID();
  const listeners = new Map<string, ((message: never) => void)[]>();
  let waiting: string[] = [];
  let sent = 0;

  /** The number keeps PostgreSQL from dropping a payload that equals another one of the transaction. */
  const payloadOf = (messages: readonly string[]): string =>
    `{"from":"${from}","number":${(sent += 1)},"messages":[${messages.join(',')}]}`;

  const packed = (messages: readonly string[]): string[] => {
    const payloads: string[] = [];
    let [next, bytes]: [string[], number] = [[], 0];
    for (const message of messages) {
      const size = Buffer.byteLength(message) + 1;
      if (size > MAX_PAYLOAD_BYTES) continue;
      if (bytes + size > MAX_PAYLOAD_BYTES) {
        payloads.push(payloadOf(next));
        [next, bytes] = [[], 0];
      }
      next.push(message);
      bytes += size;
    }
    return next.length === 0 ? payloads : [...payloads, payloadOf(next)];
  };

  const notify = (target: Db, payloads: readonly string[]): Promise<unknown> =>
    sql`select pg_notify(${PEER_CHANNEL}, value) from jsonb_array_elements_text(${JSON.stringify(payloads)}::jsonb)`.execute(
      target,
    );

  const sendWaiting = async (): Promise<void> => {
    const payloads = packed(waiting);
    waiting = [];
    if (payloads.length > 0) await notify(db, payloads);
  };

  let sending: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    sending = sending.then(sendWaiting).catch((error: unknown) => {
      // The outage is logged by the connection.
      if (!(error instanceof DatabaseUnavailable))
        log.error({ err: error }, 'could not send messages to other processes');
    });
  };

  onPayload((payload) => {
    try {
      const { from: sender, messages } = JSON.parse(payload) as { from: string; messages: [Topic, never][] };
      if (sender === from) return;
      for (const [topic, message] of messages)
        for (const listener of listeners.get(topic) ?? []) listener(message);
    } catch (error) {
      // Any program that may connect to the database can send one.
      log.warn({ err: error }, 'ignored a message that no Penstock process sent');
    }
  });

  return {
    send: (topic, message) => {
      if (waiting.length >= MAX_WAITING) return;
      waiting.push(JSON.stringify([topic, message]));
      timer ??= setTimeout(flush, SEND_EVERY_MS);
    },
    sendIn: async (tx, topic, message) => {
      await notify(tx, packed([JSON.stringify([topic, message])]));
    },
    subscribe: (topic, listener) => void listeners.set(topic, [...(listeners.get(topic) ?? []), listener]),
    close: async () => {
      clearTimeout(timer);
      flush();
      await sending;
    },
  };
};
