import { DEVICE_MESSAGE_BYTES } from '#contract/device-messages.ts';
import type { Message } from '../formats/message.ts';
import { isShownWhole, textOf } from '../rejections/rejected-message.ts';

/** Entries by pipeline and device. Beyond the limit, the entries that were not set for longest are deleted. */
const createRecentEntries = <Entry>(limit: number, sizeOf: (device: string, entry: Entry) => number) => {
  type Generation = Map<string, Map<string, Entry>>;
  let young: Generation = new Map();
  let old: Generation = new Map();
  let youngSize = 0;

  return {
    find: (pipelineId: string, device: string): Entry | undefined =>
      young.get(pipelineId)?.get(device) ?? old.get(pipelineId)?.get(device),
    set: (pipelineId: string, device: string, entry: Entry): void => {
      let ofPipeline = young.get(pipelineId);
      if (ofPipeline === undefined) young.set(pipelineId, (ofPipeline = new Map<string, Entry>()));
      const previous = ofPipeline.get(device);
      ofPipeline.set(device, entry);
      youngSize += sizeOf(device, entry) - (previous === undefined ? 0 : sizeOf(device, previous));
      if (youngSize > limit / 2) [old, young, youngSize] = [young, new Map(), 0];
    },
    pipelines: (): string[] => [...new Set([...young.keys(), ...old.keys()])],
    /** All entries of a pipeline. */
    *entriesOf(pipelineId: string): Generator<Entry> {
      const latest = young.get(pipelineId);
      if (latest !== undefined) yield* latest.values();
      for (const [device, entry] of old.get(pipelineId) ?? []) if (latest?.has(device) !== true) yield entry;
    },
    delete: (pipelineId: string): void => {
      for (const [device, entry] of young.get(pipelineId) ?? []) youngSize -= sizeOf(device, entry);
      young.delete(pipelineId);
      old.delete(pipelineId);
    },
  };
};

const CACHE_BYTES = 16 * 1_048_576;
/** The approximate size of a cached message without its texts. */
const ENTRY_BYTES = 300;
const MAX_SEEN_DEVICES = 400_000;

/** `latin1`: each byte as a character. Strings of V8 are much cheaper than small buffers. */
type CachedMessage = {
  readonly atMs: number;
  readonly topic: string | null;
  /** The device if the message does not name one. */
  readonly defaultDevice: string | undefined;
  readonly samples: number;
  readonly rejected: number;
  readonly latin1: string;
};

/** The last message of a device, and the last one that was accepted as a whole: often the same. */
type DeviceMessages = { readonly last: CachedMessage; readonly accepted: CachedMessage | undefined };

/** V8 stores a character in up to two bytes. */
const messageSize = (device: string, { latin1, topic, defaultDevice }: CachedMessage): number =>
  ENTRY_BYTES +
  latin1.length +
  2 * (device.length + (topic?.length ?? 0) + (defaultDevice === device ? 0 : (defaultDevice?.length ?? 0)));

const sizeOf = (device: string, { last, accepted }: DeviceMessages): number =>
  messageSize(device, last) +
  (accepted === undefined || accepted === last ? 0 : messageSize(device, accepted));

const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** The outcome of a message when it was received. */
type Receipt = { readonly atMs: number; readonly samples: number; readonly rejected: number };

/** A message that was received from a device. */
export type LastMessage = Receipt & {
  readonly topic: string | null;
  readonly text: string;
  readonly isTruncated: boolean;
};

/** A message that can be processed again. */
export type WholeMessage = Message & { readonly atMs: number };

const wholeMessageOf = ({ atMs, topic, defaultDevice, latin1 }: CachedMessage): WholeMessage => ({
  atMs,
  topic,
  device: defaultDevice,
  bytes: Buffer.from(latin1, 'latin1'),
});

const newestFirst = (a: CachedMessage, b: CachedMessage): number => b.atMs - a.atMs;

/** The last messages of each device in each pipeline, and the time at which a pipeline last saw a device. In memory. */
export const createDeviceMessageCache = () => {
  const messages = createRecentEntries(CACHE_BYTES, sizeOf);
  const seenAtMs = createRecentEntries<number>(MAX_SEEN_DEVICES, () => 1);

  return {
    /** To be called once for each write of a pipeline. `deviceIds`: the devices in it. */
    markSeen: (pipelineId: string, deviceIds: readonly string[], atMs: number): void => {
      for (const id of deviceIds) seenAtMs.set(pipelineId, id, atMs);
    },
    /** Whether the last message of a device in a pipeline was accepted as a whole. `device`: as in `saveMessage`. */
    wasAccepted: (pipelineId: string, device: string): boolean =>
      messages.find(pipelineId, device)?.last.rejected === 0,
    /** `device`: the external ID or ID in the message. */
    saveMessage: (
      pipelineId: string,
      device: string,
      { bytes, topic, device: defaultDevice }: Pick<Message, 'bytes' | 'topic' | 'device'>,
      receipt: Receipt,
    ): void => {
      // One byte more than is shown, to detect longer messages.
      const latin1 = bufferOf(bytes).toString('latin1', 0, DEVICE_MESSAGE_BYTES + 1);
      const last = { ...receipt, topic, defaultDevice, latin1 };
      const accepted = receipt.rejected === 0 ? last : messages.find(pipelineId, device)?.accepted;
      messages.set(pipelineId, device, { last, accepted });
    },
    /** The latest messages of a pipeline that were accepted and are cached whole, at most one for each device. */
    latestAccepted: (pipelineId: string, limit: number): WholeMessage[] => {
      let latest: CachedMessage[] = [];
      for (const { accepted } of messages.entriesOf(pipelineId)) {
        if (accepted === undefined || accepted.latin1.length > DEVICE_MESSAGE_BYTES) continue;
        latest.push(accepted);
        // There can be tens of thousands of entries: only a few are sorted at a time.
        if (latest.length === 2 * limit) latest = latest.toSorted(newestFirst).slice(0, limit);
      }
      return latest.toSorted(newestFirst).slice(0, limit).map(wholeMessageOf);
    },
    /** By pipeline ID: when it last saw the device. */
    seenBy: (deviceId: string): Map<string, number> =>
      new Map(
        seenAtMs.pipelines().flatMap((pipelineId) => {
          const atMs = seenAtMs.find(pipelineId, deviceId);
          return atMs === undefined ? [] : [[pipelineId, atMs] as const];
        }),
      ),
    /** By pipeline ID: the last message under any of the names of a device. */
    lastMessages: (names: readonly string[]): Map<string, LastMessage> => {
      const last = new Map<string, LastMessage>();
      for (const pipelineId of messages.pipelines())
        for (const name of names) {
          const cached = messages.find(pipelineId, name)?.last;
          if (cached === undefined || cached.atMs < (last.get(pipelineId)?.atMs ?? 0)) continue;
          const { latin1, defaultDevice: _, ...message } = cached;
          const bytes = Buffer.from(latin1, 'latin1');
          last.set(pipelineId, {
            ...message,
            text: textOf({ bytes }, DEVICE_MESSAGE_BYTES),
            isTruncated: !isShownWhole(bytes, DEVICE_MESSAGE_BYTES),
          });
        }
      return last;
    },
    delete: (pipelineId: string): void => {
      messages.delete(pipelineId);
      seenAtMs.delete(pipelineId);
    },
  };
};
export type DeviceMessageCache = ReturnType<typeof createDeviceMessageCache>;

/** Several devices may send the same bytes. */
export const isSameMessage = (one: WholeMessage, other: WholeMessage): boolean =>
  one.atMs === other.atMs &&
  one.topic === other.topic &&
  one.device === other.device &&
  Buffer.compare(one.bytes, other.bytes) === 0;
