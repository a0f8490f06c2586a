import { findByIds } from '../../devices/device-store.ts';
import { createYield } from '../../platform/event-loop.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { Ingest } from '../../telemetry/write/ingest-samples.ts';
import { SAMPLES_PER_PART } from '../../telemetry/write/split-reading.ts';
import { MessageColumns, type MessageSlice } from '../formats/message-columns.ts';
import type { ReadInto } from '../formats/message-writer.ts';
import { startMessageWork, type Outcome, type MessageWork } from './message-work.ts';
import type { SampleStamps } from './sample-stamps.ts';
import { storeColumns } from './store-columns.ts';
import type { Submission } from './submission.ts';
import { createOutcomeSum } from './sum-outcomes.ts';

/** The external IDs, by ID, of the devices that senders are limited to. */
const namesOfLimited = async (
  db: Db,
  submissions: readonly Submission[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Set(submissions.flatMap(({ origin }) => origin.devices ?? []));
  const rows = ids.size === 0 ? [] : await findByIds(db, [...ids]);
  return new Map(rows.map((row) => [row.id, row.external_id]));
};

/**
 * Submissions with the same key share a write. Limited senders share one, because their devices were checked before.
 */
const senderKey = ({ channel: { id, isSpooled, times }, origin }: Submission): string => {
  const sender = origin.devices === null ? (origin.actor?.id ?? '') : 'limited';
  return `${id} ${isSpooled} ${times.timeZone} ${times.allowOld} ${times.unit} ${sender}`;
};

type StoreDeps = {
  db: Db;
  ingest: Ingest;
  stamps?: SampleStamps;
  /** Called for each message whose format threw an error. */
  onFormatFailed?: (failure: string, work: MessageWork) => void;
  /** Called once for each write. `deviceIds`: the devices of messages of a pipeline. */
  onSeen?: (pipelineId: string, deviceIds: readonly string[], atMs: number) => void;
};

const storeTogether = async (
  { db, ingest, stamps, onFormatFailed, onSeen }: StoreDeps,
  submissions: readonly Submission[],
): Promise<Outcome[]> => {
  const yieldIfLong = createYield();
  const externalIds = await namesOfLimited(db, submissions);
  const works: MessageWork[] = [];

  /** `positions`: of submissions with the same sender. */
  const storeOfSender = async (positions: readonly number[]): Promise<void> => {
    const { id, times } = submissions[positions[0]!]!.channel;
    let columns = new MessageColumns(times);
    let batch: MessageWork[] = [];
    for (const position of positions) {
      const work = startMessageWork(submissions[position]!, columns, { externalIds, stamps });
      works[position] = work;
      batch.push(work);
      if (work.failure !== undefined) onFormatFailed?.(work.failure, work);
      await yieldIfLong();
      if (columns.parser.columns.length < SAMPLES_PER_PART && position !== positions.at(-1)) continue;
      await storeColumns(ingest, columns.reading(), batch, yieldIfLong);
      // All messages of a batch have the devices of the whole batch.
      const { stored: { seenDevices } = { seenDevices: [] } } =
        batch.find(({ hasSamples }) => hasSamples) ?? {};
      onSeen?.(id, seenDevices, submissions[position]!.receivedAtMs);
      [columns, batch] = [new MessageColumns(times), []];
    }
  };

  const bySender = Map.groupBy(submissions.keys(), (position) => senderKey(submissions[position]!));
  await Promise.all([...bySender.values()].map(storeOfSender));
  return works.map(({ stored, error }) => (error === undefined ? stored : { error }));
};

/** Stores the slices of a large message one after another and adds up their outcomes. */
const storeSlices = async (
  deps: StoreDeps,
  submission: Submission,
  slices: AsyncIterable<MessageSlice>,
): Promise<Outcome> => {
  const sum = createOutcomeSum();
  try {
    for await (const slice of slices) {
      const read: ReadInto = (writer) => writer.addSlice(slice);
      const [stored] = await storeTogether(deps, [{ ...submission, read }]);
      if (stored !== undefined && 'error' in stored) return stored;
      if (stored !== undefined) sum.add(stored);
    }
  } catch (error) {
    return { error };
  }
  return sum.outcome();
};

/**
 * Reads messages and stores their samples, together in one write where possible. Samples for external destinations are
 * not stored but returned for the spool. Outcomes are in the order of the submissions. Resolves after all stored samples
 * are on disk.
 */
export const storeMessages = async (
  deps: StoreDeps,
  submissions: readonly Submission[],
): Promise<Outcome[]> => {
  if (submissions.every(({ readSlices }) => readSlices === undefined))
    return storeTogether(deps, submissions);
  const outcomes: Outcome[] = [];
  for (const submission of submissions)
    outcomes.push(
      ...(submission.readSlices === undefined
        ? await storeTogether(deps, [submission])
        : [await storeSlices(deps, submission, submission.readSlices())]),
    );
  return outcomes;
};
