import { isUtf8 } from 'node:buffer';
import type { Logger } from 'pino';
import { withoutSecrets } from '../platform/log.ts';
import { inWrite, type Db } from '../platform/storage/database.ts';
import { isUnwritable } from '../platform/storage/disk-full.ts';
import { storableText } from '../platform/storage/storable-text.ts';
import { StorageFull } from '../platform/storage/store-errors.ts';
import { generaliseTopic } from './generalise-topic.ts';
import { addUnrouted, deleteMatching, mergeClients, type UnroutedTally } from './unrouted-store.ts';

type UnroutedMessage = {
  readonly topic: string;
  readonly bytes: Uint8Array;
  readonly isRetained: boolean;
  /** The user name of the client that published it. */
  readonly username: string;
  /** Epoch ms. */
  readonly receivedAtMs: number;
};

export type UnroutedRecorder = {
  /** Resolves once the message is on disk. @throws StorageFull, or the error of the write */
  record(message: UnroutedMessage): Promise<void>;
  /** Removes topics that pipelines receive from now on, once the messages recorded so far are written. */
  removeRouted(topicFilters: readonly string[]): void;
  /** Resolves once all messages are written. */
  drained(): Promise<void>;
};

const KEPT_BYTES = 4_096;
/** A topic may have 64 KiB, a user name 16 KiB. */
const KEPT_TOPIC = 1_024;
const KEPT_USERNAME = 128;
/** Even rows of the largest size are written without blocking the event loop for long. */
const TOPIC_FILTERS_PER_WRITE = 50;
const MAX_WAITING_BATCHES = 20;
/** Control characters that do not occur in text. Tab, line feed and carriage return do. */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\0-\b\v\f\x0e-\x1f]/;

/** The first 4 KiB as text, without a cut character; null if they are not text. */
const textOf = (bytes: Uint8Array): string | null => {
  const kept = bytes.subarray(0, KEPT_BYTES);
  const text = new TextDecoder().decode(kept, { stream: bytes.length > KEPT_BYTES });
  // The last character may be incomplete.
  const isText = isUtf8(kept) || (bytes.length > KEPT_BYTES && !text.includes('\ufffd'));
  return isText && !BINARY.test(text) ? text : null;
};

/** Removes secrets sent in topics or names, and what databases cannot store. */
const cleanText = (text: string, maxLength: number): string =>
  storableText(withoutSecrets(text).slice(0, maxLength));

/** Messages to write in one transaction. */
const newBatch = () => ({
  tallies: new Map<string, UnroutedTally>(),
  /** Messages that fit in no batch: they are counted without their topic filter. */
  others: 0,
  written: Promise.withResolvers<void>(),
});
type Batch = ReturnType<typeof newBatch>;

const addTo = (
  { tallies }: Batch,
  topicFilter: string,
  { topic, bytes, isRetained, username, receivedAtMs }: UnroutedMessage,
): void => {
  const tally = tallies.get(topicFilter);
  const payload = textOf(bytes);
  const last = {
    topic: cleanText(topic, KEPT_TOPIC),
    payload: payload === null ? null : withoutSecrets(payload),
    bytes: bytes.length,
    isTruncated: bytes.length > KEPT_BYTES,
    isRetained,
  };
  const clients = [cleanText(username, KEPT_USERNAME)];
  if (tally === undefined)
    tallies.set(topicFilter, {
      topicFilter,
      messages: 1,
      firstAt: receivedAtMs,
      lastAt: receivedAtMs,
      clients,
      last,
    });
  else {
    tally.messages += 1;
    tally.lastAt = receivedAtMs;
    tally.last = last;
    if (tally.clients[0] !== clients[0]) tally.clients = mergeClients(clients, tally.clients);
  }
};

/**
 * Records messages that match no pipeline, by topic filter. Messages that arrive during a write share the next
 * transaction, so that a thousand messages per second cost only a few rows.
 */
export const createUnroutedRecorder = ({ db, log }: { db: Db; log: Logger }): UnroutedRecorder => {
  /** Batches to write, oldest first. New messages are added to the last batch. */
  const waiting: Batch[] = [];
  /** Of the newest batch. Batches are written in order. */
  let lastWritten: Promise<void> | undefined;
  let running: Promise<void> | undefined;
  let hasFailed = false;
  let removing: Promise<unknown> = Promise.resolve();

  const remove = (topicFilters: readonly string[]): Promise<unknown> =>
    inWrite(db, (tx) => deleteMatching(tx, topicFilters)).catch((error: unknown) => {
      // The list is repaired by the next start of the pipelines.
      if (!isUnwritable(error)) log.error({ err: error }, 'could not remove unrouted MQTT topics');
    });

  const write = async ({ tallies, others, written }: Batch): Promise<void> => {
    try {
      await inWrite(db, (tx) => addUnrouted(tx, [...tallies.values()], others));
      hasFailed = false;
      written.resolve();
    } catch (error) {
      // Logged once until a write succeeds, since clients repeat their messages. The disk guard logs the state of the
      // disk.
      if (!hasFailed && !isUnwritable(error))
        log.error({ err: error }, 'could not record unrouted MQTT messages');
      hasFailed = true;
      written.reject(
        isUnwritable(error) ? new StorageFull('The disk has no room for unrouted messages.') : error,
      );
    }
  };

  const run = async (): Promise<void> => {
    // Messages of the same event loop iteration share a transaction.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) await write(batch);
    running = undefined;
  };

  return {
    record: (message) => {
      const topicFilter = cleanText(generaliseTopic(message.topic, message.username), KEPT_TOPIC);
      let batch = waiting.at(-1);
      const hasRoom =
        batch !== undefined &&
        (batch.tallies.has(topicFilter) || batch.tallies.size < TOPIC_FILTERS_PER_WRITE);
      if (batch === undefined || (!hasRoom && waiting.length < MAX_WAITING_BATCHES)) {
        batch = newBatch();
        waiting.push(batch);
        lastWritten = batch.written.promise;
        addTo(batch, topicFilter, message);
      } else if (hasRoom) addTo(batch, topicFilter, message);
      else batch.others += 1;
      running ??= run();
      return batch.written.promise;
    },
    removeRouted: (topicFilters) => {
      if (topicFilters.length === 0) return;
      const written = lastWritten?.catch(() => undefined);
      removing = Promise.all([removing, written]).then(() => remove(topicFilters));
    },
    drained: async () => {
      await running;
      await removing;
    },
  };
};
