import { DEVICE_MESSAGE_BYTES } from '#contract/device-messages.ts';
import type { Message } from '../formats/message.ts';
import { isShownWhole, textOf } from '../rejections/rejected-message.ts';

/** Entries by pipeline and device. Beyond the limit, entries that have not been used for long are forgotten. */
const createRecent = <Entry>(limit: number, sizeOf: (entry: Entry) => number) => {
  type Generation = Map<string, Map<string, Entry>>;
  let young: Generation = new Map();
  let old: Generation = new Map();
  let size = 0;

  const find = (pipelineId: string, device: string): Entry | undefined =>
    young.get(pipelineId)?.get(device) ?? old.get(pipelineId)?.get(device);

  const grow = (by: number): void => {
    size += by;
    if (size <= limit / 2) return;
    [old, young, size] = [young, new Map(), 0];
  };

  return {
    find,
    /** The entry of a device, to be changed in place. */
    use: (pipelineId: string, device: string, create: () => Entry): Entry => {
      let ofPipeline = young.get(pipelineId);
      if (ofPipeline === undefined) young.set(pipelineId, (ofPipeline = new Map<string, Entry>()));
      const known = ofPipeline.get(device);
      if (known !== undefined) return known;
      const entry = old.get(pipelineId)?.get(device) ?? create();
      ofPipeline.set(device, entry);
      grow(sizeOf(entry));
      return entry;
    },
    grow,
    pipelines: (): string[] => [...new Set([...young.keys(), ...old.keys()])],
    delete: (pipelineId: string): void => {
      young.delete(pipelineId);
      old.delete(pipelineId);
    },
  };
};

const MESSAGE_BYTES = 16 * 1_048_576;
/** The approximate size of an entry without its text. */
const ENTRY_BYTES = 300;
const SEEN_DEVICES = 400_000;

/** `latin1`: each byte as a character. Strings of V8 are much cheaper than small buffers. */
type Kept = { atMs: number; topic: string | null; values: number; latin1: string };
const newKept = (): Kept => ({ atMs: 0, topic: null, values: 0, latin1: '' });
const newSeen = () => ({ atMs: 0 });

const bufferOf = (bytes: Uint8Array): Buffer =>
  bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

/** A message that was received from a device. */
export type LastMessage = {
  readonly atMs: number;
  readonly topic: string | null;
  readonly text: string;
  readonly isTruncated: boolean;
  readonly values: number;
};

/** The last message of each device in each pipeline, and the time at which a pipeline last saw a device. In memory. */
export const createDeviceMessages = () => {
  const messages = createRecent<Kept>(MESSAGE_BYTES, () => ENTRY_BYTES);
  const seen = createRecent<ReturnType<typeof newSeen>>(SEEN_DEVICES, () => 1);

  return {
    /** To be called once for each write of a pipeline. `deviceIds`: the devices in it. */
    markSeen: (pipelineId: string, deviceIds: readonly string[], atMs: number): void => {
      for (const id of deviceIds) seen.use(pipelineId, id, newSeen).atMs = atMs;
    },
    /** `device`: the external ID or ID in the message. */
    keep: (
      pipelineId: string,
      device: string,
      { bytes, topic }: Pick<Message, 'bytes' | 'topic'>,
      { atMs, values }: { atMs: number; values: number },
    ): void => {
      const kept = messages.use(pipelineId, device, newKept);
      const lengthBefore = kept.latin1.length;
      // One byte more than is shown, to tell that there was more.
      kept.latin1 = bufferOf(bytes).toString('latin1', 0, DEVICE_MESSAGE_BYTES + 1);
      kept.atMs = atMs;
      kept.topic = topic;
      kept.values = values;
      messages.grow(kept.latin1.length - lengthBefore);
    },
    /** By pipeline ID: when it last saw the device. */
    seenBy: (deviceId: string): Map<string, number> =>
      new Map(
        seen.pipelines().flatMap((pipelineId) => {
          const entry = seen.find(pipelineId, deviceId);
          return entry === undefined ? [] : [[pipelineId, entry.atMs] as const];
        }),
      ),
    /** By pipeline ID: the last message that names the device. */
    lastOf: (names: readonly string[]): Map<string, LastMessage> => {
      const last = new Map<string, LastMessage>();
      for (const pipelineId of messages.pipelines())
        for (const name of names) {
          const kept = messages.find(pipelineId, name);
          if (kept === undefined || kept.atMs < (last.get(pipelineId)?.atMs ?? 0)) continue;
          const { atMs, topic, values } = kept;
          const bytes = Buffer.from(kept.latin1, 'latin1');
          const text = textOf({ bytes }, DEVICE_MESSAGE_BYTES);
          const isTruncated = !isShownWhole(bytes, DEVICE_MESSAGE_BYTES);
          last.set(pipelineId, { atMs, topic, values, text, isTruncated });
        }
      return last;
    },
    delete: (pipelineId: string): void => {
      messages.delete(pipelineId);
      seen.delete(pipelineId);
    },
  };
};
export type DeviceMessages = ReturnType<typeof createDeviceMessages>;
