import type { Sender } from '../../devices/sender.ts';
import { StoreBusy } from '../../platform/storage/store-errors.ts';
import { seriesAt } from '../../telemetry/store/sample-columns.ts';
import type { Ingest } from '../../telemetry/write/ingest-samples.ts';
import type { SampleReading } from '../../telemetry/write/sample-reading.ts';
import { partOf, rangesOf } from '../../telemetry/write/split-reading.ts';
import { messageRejection } from '../formats/message.ts';
import type { MessageWork } from './message-work.ts';

const BUSY_FOR_MS = 5_000;
const BUSY_PAUSE_MS = 50;

const senderOf = (works: readonly MessageWork[], offlineDevices: ReadonlySet<string>): Sender => {
  const { channel, origin, replayOf } = works[0]!.submission;
  const deviceNames = new Map(
    works.flatMap(({ deviceNames, submission }) => [
      ...deviceNames,
      ...(submission.message.deviceNames ?? []),
    ]),
  );
  // The first message states the unit of a metric. The last entry of a key stays in a map.
  const units = new Map(
    works.toReversed().flatMap(({ units, submission }) => [...units, ...(submission.message.units ?? [])]),
  );
  const limited = works.flatMap(({ submission }) => submission.origin.devices ?? []);
  return {
    actor: origin.devices === null ? origin.actor : null,
    devices: origin.devices === null ? null : [...new Set(limited)],
    onUnknownDevice: channel.onUnknownDevice,
    isReplay: replayOf !== undefined,
    registrant: origin.registrant,
    deviceNames,
    units,
    offlineDevices,
    ...(channel.expectedInterval === undefined ? {} : { expectedInterval: channel.expectedInterval }),
  };
};

/** Retries for a while if the store is busy. */
const acceptWithRetry = async (ingest: Ingest, reading: SampleReading, sender: Sender) => {
  for (let waitedMs = 0; ; waitedMs += BUSY_PAUSE_MS)
    try {
      return await ingest.accept(reading, sender);
    } catch (error) {
      if (!(error instanceof StoreBusy) || waitedMs >= BUSY_FOR_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
};

/** The message that contains a group. */
const ownerOf = (works: readonly MessageWork[], group: number): MessageWork => {
  let [low, high] = [0, works.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (works[middle]!.firstGroup <= group) low = middle;
    else high = middle - 1;
  }
  return works[low]!;
};

/** The devices that have samples only in messages that report them as offline. */
const offlineDevicesIn = (
  { series, index, groupOf }: SampleReading,
  works: readonly MessageWork[],
): ReadonlySet<string> => {
  const offline = new Set<number>();
  if (!works.some(({ saysOffline }) => saysOffline)) return new Set();
  const online = new Set<number>();
  for (const [i, s] of index.entries())
    (ownerOf(works, groupOf[i]!).saysOffline ? offline : online).add(series.device[s]!);
  return new Set([...offline].filter((d) => !online.has(d)).map((d) => series.devices[d]!));
};

const metricsIn = ({ series, index, groupOf }: SampleReading, group: number): string[] => {
  const from = groupOf.indexOf(group);
  const end = groupOf.subarray(from).findIndex((each) => each !== group);
  const places = index.subarray(from, end === -1 ? undefined : from + end);
  return Array.from(places, (s) => seriesAt(series, s).metric);
};

const validatePart = async (
  ingest: Ingest,
  part: SampleReading,
  works: readonly MessageWork[],
  sender: Sender,
) => {
  const validated = await ingest.validate(part, sender);
  for (const { index, device, ts, values } of validated.samples)
    ownerOf(works, index).stored.spooled.push({ device, ts, values });
  return validated;
};

/** Stores a part and counts the new and overwritten samples of each message. */
const storePart = async (
  ingest: Ingest,
  part: SampleReading,
  works: readonly MessageWork[],
  sender: Sender,
) => {
  const report = await acceptWithRetry(ingest, part, sender);
  for (const [group, count] of report.newByGroup) ownerOf(works, group).stored.newlyStored += count;
  for (const [group, count] of report.overwrittenByGroup) ownerOf(works, group).stored.overwritten += count;
  for (const overwrite of report.overwrites)
    ownerOf(works, overwrite.index).stored.overwrites.push(overwrite);
  return report;
};

/** Stores or validates the columns of messages with the same sender and destination. Never throws. */
export const storeColumns = async (
  ingest: Ingest,
  reading: SampleReading,
  works: readonly MessageWork[],
  betweenParts: () => Promise<void>,
): Promise<void> => {
  if (reading.series.devices.length === 0) return;
  const { isSpooled, expectedInterval } = works[0]!.submission.channel;
  const sender = senderOf(works, offlineDevicesIn(reading, works));
  const owners = works.filter(({ hasSamples }) => hasSamples);
  for (const range of rangesOf(reading)) {
    const part = partOf(reading, range);
    try {
      const store = isSpooled ? validatePart : storePart;
      const { rejections, seenDevices } = await store(ingest, part, works, sender);
      for (const rejection of rejections) {
        const rejected = messageRejection(rejection);
        const concernsAll = rejected.metric === undefined && expectedInterval !== undefined;
        const metrics = concernsAll ? metricsIn(part, rejection.index) : [];
        ownerOf(works, rejection.index).stored.rejections.push({ ...rejected, metrics });
      }
      for (const { stored } of owners)
        stored.seenDevices =
          stored.seenDevices.length === 0
            ? seenDevices
            : [...new Set([...stored.seenDevices, ...seenDevices])];
    } catch (error) {
      for (const work of owners) work.error ??= error;
    }
    await betweenParts();
  }
};
