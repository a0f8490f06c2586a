import { unknownDevice } from '../../devices/device-registry.ts';
import { findByIds } from '../../devices/device-store.ts';
import type { Origin, Sender } from '../../devices/sender.ts';
import type { Db } from '../../platform/storage/database.ts';
import type { Ingest, OverwrittenSeries } from '../../telemetry/write/ingest-samples.ts';
import { readSamples } from '../../telemetry/write/read-samples.ts';
import { readSampleTime, type TimeRule } from '../../telemetry/write/sample-time.ts';
import { StoreBusy } from '../../platform/storage/store-errors.ts';
import type { SpooledSample } from '../destinations/destination.ts';
import { isObject } from '../formats/message-format.ts';
import { valuesIn, type MessageReading, type MessageSlice } from '../formats/read-message.ts';
import { rejectCollisions } from '../formats/ts-collisions.ts';
import { metricOfPointer, type MessageRejection, type Message } from '../formats/message.ts';
import { createYield } from '../../platform/event-loop.ts';
import { createRejectionTally } from '../rejections/rejection-tally.ts';
import { createSampleStamps, type SampleStamps } from './sample-stamps.ts';

/** The part of a pipeline that processing its messages needs. */
export type Channel = {
  readonly id: string;
  readonly name: string;
  readonly onUnknownDevice: 'register' | 'reject';
  /** Whether values go to an external destination through the spool. */
  readonly isSpooled: boolean;
  /** Seconds between two messages of a polled source. */
  readonly expectedInterval: number | undefined;
  /** The default device in the config. */
  readonly device?: string | undefined;
  /** How timestamps are read. */
  readonly times: TimeRule;
};

export type Submission = {
  readonly channel: Channel;
  readonly message: Message;
  readonly origin: Origin;
  /** The time of receipt in epoch ms. It is the timestamp of values without one, also in a replay. */
  readonly receivedAtMs: number;
  /** For a replay: whether the message was rejected in part, so that some values are stored, or as a whole. */
  readonly replayOf?: 'part' | 'whole';
  /**
   * The samples are mapped already and come from several messages, which may have different values for the same time.
   */
  readonly isMapped?: boolean;
  /** Number of values of the message that the ledger counts already, from earlier slices. */
  readonly countedBefore?: number;
  /** Reads the samples of the message. Called when the message is written, not while it waits. */
  readonly read: () => MessageReading;
  /** Reads a large message in a worker thread, slice by slice. Used instead of `read`. */
  readonly readSlices?: () => AsyncIterable<MessageSlice>;
};

/**
 * The outcome of a message: received = stored or to be spooled + rejected + skipped. Or the error if nothing was
 * stored.
 */
export type Outcome =
  | {
      readonly received: number;
      readonly rejections: readonly MessageRejection[];
      /** The format of the message; null: none. */
      readonly format: string | null;
      readonly seenDevices: readonly string[];
      /** For a replay: number of values that were not in the built-in store yet. */
      readonly fresh: number;
      /** 1 if the expression skipped the message, otherwise 0. */
      readonly skipped: number;
      /** Number of its values that replaced a different value in the built-in store. */
      readonly overwritten: number;
      /** The series whose last overwritten value came from this message. */
      readonly overwrites: readonly OverwrittenSeries[];
      /** Samples for an external destination. The caller adds them to the spool in the transaction of the ledger. */
      readonly spooled: readonly SpooledSample[];
    }
  | { readonly error: unknown };

export type Stored = Exclude<Outcome, { error: unknown }>;

export const rejectedIn = ({ rejections }: Stored): number =>
  rejections.reduce((sum, { values }) => sum + values, 0);

type Work = {
  readonly submission: Submission;
  readonly reading: MessageReading;
  /** For a replay of a message stored in part: its samples get the same timestamps as before. */
  readonly ownStamps: SampleStamps | undefined;
  received: number;
  rejections: MessageRejection[];
  /** Devices seen in the writes of this message. Each list is shared by all messages of a write. */
  seenDevices: (readonly string[])[];
  fresh: number;
  skipped: number;
  overwritten: number;
  overwrites: OverwrittenSeries[];
  spooled: SpooledSample[];
  error: unknown;
};
type Chunk = { samples: unknown[]; owners: Work[]; values: number };
/** How the chunks of a group are stored, common to all of its messages. */
type GroupRule = { sender: Sender; isSpooled: boolean; times: TimeRule };

/** A write of this size takes the main thread a few milliseconds. */
const VALUES_PER_WRITE = 5_000;

const BUSY_FOR_MS = 5_000;
const BUSY_PAUSE_MS = 50;

const startWork = (submission: Submission): Work => {
  const read = submission.read();
  const { times } = submission.channel;
  const reading =
    submission.isMapped === true ? read : rejectCollisions(read, (ts) => readSampleTime(ts, times));
  const rejections = [...reading.rejections];
  const inSamples = reading.samples.reduce((sum: number, sample) => sum + valuesIn(sample), 0);
  const skipped = reading.isSkipped === true ? 1 : 0;
  const received = rejections.reduce((sum, { values }) => sum + values, inSamples) + skipped;
  return {
    submission,
    reading,
    ownStamps: submission.replayOf === 'part' ? createSampleStamps() : undefined,
    received,
    rejections,
    seenDevices: [],
    fresh: 0,
    skipped,
    overwritten: 0,
    overwrites: [],
    spooled: [],
    error: undefined,
  };
};

/** The external IDs, by ID, of the devices that senders are limited to. */
const namesOfLimited = async (db: Db, works: readonly Work[]): Promise<ReadonlyMap<string, string>> => {
  const ids = new Set(works.flatMap(({ submission }) => submission.origin.devices ?? []));
  const rows = ids.size === 0 ? [] : await findByIds(db, [...ids]);
  return new Map(rows.map((row) => [row.id, row.external_id]));
};

/** The samples that the sender may send. Others are rejected like samples of an unknown device. */
const permitted = (work: Work, externalIds: ReadonlyMap<string, string>): readonly unknown[] => {
  const { devices } = work.submission.origin;
  if (devices === null) return work.reading.samples;
  const own = new Set(devices.flatMap((id) => [id, externalIds.get(id)]));
  return work.reading.samples.filter((sample) => {
    const device = isObject(sample) ? sample['device'] : undefined;
    if (typeof device !== 'string' || own.has(device)) return true;
    work.rejections.push({ ...unknownDevice(device), values: valuesIn(sample), sample });
    return false;
  });
};

/** A message stored in part gets the timestamps of its receipt again, so that stored values are recognised. */
const stamped = (sample: unknown, work: Work, others: SampleStamps | undefined): unknown => {
  if (!isObject(sample) || sample['ts'] !== undefined) return sample;
  const { channel, receivedAtMs } = work.submission;
  const stamps = work.ownStamps ?? others;
  const { device, values } = sample;
  if (stamps === undefined || typeof device !== 'string' || !isObject(values))
    return { ...sample, ts: receivedAtMs };
  return { ...sample, ts: stamps.stamp(channel.id, device, Object.keys(values), receivedAtMs) };
};

/** Splits samples, in order, into writes that the store accepts. */
const chunksOf = (
  works: readonly Work[],
  externalIds: ReadonlyMap<string, string>,
  stamps: SampleStamps | undefined,
): Chunk[] => {
  const chunks: Chunk[] = [];
  let chunk: Chunk | undefined;
  for (const work of works)
    for (const sample of permitted(work, externalIds)) {
      const values = valuesIn(sample);
      if (chunk === undefined || chunk.values + values > VALUES_PER_WRITE)
        chunks.push((chunk = { samples: [], owners: [], values: 0 }));
      chunk.samples.push(stamped(sample, work, stamps));
      chunk.owners.push(work);
      chunk.values += values;
    }
  return chunks;
};

/**
 * Submissions with the same key share a write. Limited senders share one, because their devices were checked before.
 */
const senderKey = ({ channel: { id, isSpooled, times }, origin }: Submission): string => {
  const sender = origin.devices === null ? (origin.actor?.id ?? '') : 'limited';
  return `${id} ${isSpooled} ${times.timeZone} ${times.allowOld} ${times.unit} ${sender}`;
};

const senderOf = (works: readonly Work[]): Sender => {
  const { channel, origin, replayOf } = works[0]!.submission;
  const deviceNames = new Map(
    works.flatMap(({ reading, submission }) => [
      ...reading.deviceNames,
      ...(submission.message.deviceNames ?? []),
    ]),
  );
  const limited = works.flatMap(({ submission }) => submission.origin.devices ?? []);
  return {
    actor: origin.devices === null ? origin.actor : null,
    devices: origin.devices === null ? null : [...new Set(limited)],
    onUnknownDevice: channel.onUnknownDevice,
    isReplay: replayOf !== undefined,
    registrant: origin.registrant,
    deviceNames,
    ...(channel.expectedInterval === undefined ? {} : { expectedInterval: channel.expectedInterval }),
  };
};

/** Retries for a while if the store is busy. */
const acceptWithRetry = async (ingest: Ingest, chunk: Chunk, { sender, times }: GroupRule) => {
  const reading = readSamples(chunk.samples, times);
  for (let waitedMs = 0; ; waitedMs += BUSY_PAUSE_MS)
    try {
      return await ingest.accept(reading, sender);
    } catch (error) {
      if (!(error instanceof StoreBusy) || waitedMs >= BUSY_FOR_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
};

const validateChunk = async (ingest: Ingest, chunk: Chunk, { sender, times }: GroupRule) => {
  const validated = await ingest.validate(readSamples(chunk.samples, times), sender);
  for (const { index, device, ts, values } of validated.samples)
    chunk.owners[index]!.spooled.push({ device, ts, values });
  return validated;
};

/** Stores a chunk and counts the new and overwritten values of each message. */
const storePart = async (ingest: Ingest, chunk: Chunk, rule: GroupRule) => {
  const report = await acceptWithRetry(ingest, chunk, rule);
  for (const [index, fresh] of report.freshIn) chunk.owners[index]!.fresh += fresh;
  for (const [index, overwritten] of report.overwrittenIn) chunk.owners[index]!.overwritten += overwritten;
  for (const overwrite of report.overwrites) chunk.owners[overwrite.index]!.overwrites.push(overwrite);
  return report;
};

const storeChunk = async (ingest: Ingest, chunk: Chunk, rule: GroupRule): Promise<void> => {
  const owners = new Set(chunk.owners);
  try {
    const { rejections, seenDevices } = rule.isSpooled
      ? await validateChunk(ingest, chunk, rule)
      : await storePart(ingest, chunk, rule);
    for (const { index, pointer, code, detail, values } of rejections)
      chunk.owners[index]!.rejections.push({
        reason: code,
        detail,
        metric: metricOfPointer(pointer),
        values,
        sample: chunk.samples[index],
      });
    for (const work of owners) work.seenDevices.push(seenDevices);
  } catch (error) {
    for (const work of owners) work.error ??= error;
  }
};

const idsIn = (lists: Work['seenDevices']): readonly string[] =>
  lists.length > 1 ? [...new Set(lists.flat())] : (lists[0] ?? []);

const outcomeOf = ({ error, ...work }: Work): Outcome => {
  if (error !== undefined) return { error };
  const { reading, received, rejections, seenDevices, fresh, skipped, overwritten, overwrites, spooled } =
    work;
  const { format } = reading;
  return {
    received,
    rejections,
    format,
    seenDevices: idsIn(seenDevices),
    fresh,
    skipped,
    overwritten,
    overwrites,
    spooled,
  };
};

type StoreDeps = { db: Db; ingest: Ingest; stamps?: SampleStamps };

const storeTogether = async (
  { db, ingest, stamps }: StoreDeps,
  submissions: readonly Submission[],
): Promise<Outcome[]> => {
  const yieldIfLong = createYield();
  const works: Work[] = [];
  for (const submission of submissions) {
    works.push(startWork(submission));
    await yieldIfLong();
  }
  const externalIds = await namesOfLimited(db, works);
  const groups = Map.groupBy(works, ({ submission }) => senderKey(submission));
  await Promise.all(
    [...groups.values()].map(async (group) => {
      const { isSpooled, times } = group[0]!.submission.channel;
      const rule = { sender: senderOf(group), isSpooled, times };
      for (const chunk of chunksOf(group, externalIds, stamps)) {
        await storeChunk(ingest, chunk, rule);
        await yieldIfLong();
      }
    }),
  );
  return works.map(outcomeOf);
};

/** Overwritten series reported for a large message. All overwritten values are counted. */
const MAX_OVERWRITES = 1_000;

/** Stores the slices of a large message one after another and adds up their outcomes. */
const storeSlices = async (
  deps: StoreDeps,
  submission: Submission,
  slices: AsyncIterable<MessageSlice>,
): Promise<Outcome> => {
  const tally = createRejectionTally();
  const seenDevices = new Set<string>();
  const sum = { received: 0, fresh: 0, skipped: 0, overwritten: 0 };
  let format: string | null = null;
  const overwrites: OverwrittenSeries[] = [];
  const spooled: SpooledSample[] = [];
  try {
    for await (const slice of slices) {
      format ??= slice.format;
      const [stored] = await storeTogether(deps, [{ ...submission, read: () => slice }]);
      if (stored === undefined) continue;
      if ('error' in stored) return stored;
      for (const rejection of stored.rejections) tally.add(rejection);
      for (const id of stored.seenDevices) seenDevices.add(id);
      for (const sample of stored.spooled) spooled.push(sample);
      if (overwrites.length < MAX_OVERWRITES) overwrites.push(...stored.overwrites);
      sum.received += stored.received;
      sum.fresh += stored.fresh;
      sum.skipped += stored.skipped;
      sum.overwritten += stored.overwritten;
    }
  } catch (error) {
    return { error };
  }
  return {
    ...sum,
    rejections: tally.rejections(),
    format,
    seenDevices: [...seenDevices],
    overwrites,
    spooled,
  };
};

/**
 * Reads messages and stores their values, together in one write where possible. Values for external destinations are
 * not stored but returned for the spool. Outcomes are in the order of the submissions. Resolves after all stored values
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
