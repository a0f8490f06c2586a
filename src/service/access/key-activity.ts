import { ACTIVITY_ITEMS } from '#contract/key-activity.ts';
import type { RefusedWrite } from '../platform/http/auth.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';

/** A recording ends after this time without a request. */
const WATCHED_MS = 600_000;
/** Recordings are read only while somebody connects a device, so few are needed. */
const MAX_WATCHED = 200;
const MAX_DEVICES = 1_000;

/** Null: a direct write, or the broker. */
export type ActivityPipeline = { readonly id: string; readonly name: string } | null;
type Rejection = { readonly reason: string; readonly detail: string; readonly pipeline: ActivityPipeline };
type Timed<T> = T & { readonly atMs: number };

/** The outcome of a message or a direct write. */
type WriteOutcome = {
  readonly format: string | null;
  readonly pipeline: ActivityPipeline;
  readonly received: number;
  readonly rejected: number;
  readonly skipped?: number;
  /** IDs of the devices. */
  readonly devices: readonly string[];
  readonly rejections: readonly { readonly reason: string; readonly detail: string }[];
};

/** The latest entry for each key, at most `limit` entries. The latest is the last one in the map. */
const createLatestEntries = <T extends object>(limit: number) => {
  const entries = new Map<string, Timed<T>>();
  return {
    set: (key: string, entry: Timed<T>): void => {
      entries.delete(key);
      entries.set(key, entry);
      if (entries.size > limit) entries.delete(entries.keys().next().value!);
    },
    count: (): number => entries.size,
    /** Latest first. */
    list: (): Timed<T>[] => [...entries.values()].toReversed().slice(0, ACTIVITY_ITEMS),
  };
};

/** The activity of one key since its recording began. */
const createRecording = (sinceMs: number, now: () => number) => {
  const devices = createLatestEntries<{ id: string }>(MAX_DEVICES);
  const formats = createLatestEntries<{ format: string; pipeline: ActivityPipeline }>(ACTIVITY_ITEMS);
  const rejections = createLatestEntries<Rejection>(ACTIVITY_ITEMS);
  const unrouted = createLatestEntries<{ topic: string }>(ACTIVITY_ITEMS);
  const counts = { received: 0, rejected: 0, skipped: 0 };
  const reject = (rejection: Rejection): void =>
    rejections.set(`${rejection.pipeline?.id} ${rejection.reason}`, { ...rejection, atMs: now() });
  return {
    add: ({ format, pipeline, received, rejected, skipped = 0, ...lists }: WriteOutcome): void => {
      counts.received += received;
      counts.rejected += rejected;
      counts.skipped += skipped;
      for (const id of lists.devices) devices.set(id, { id, atMs: now() });
      if (format !== null) formats.set(`${pipeline?.id} ${format}`, { format, pipeline, atMs: now() });
      for (const { reason, detail } of lists.rejections) reject({ reason, detail, pipeline });
    },
    reject,
    addUnrouted: (topic: string): void => unrouted.set(topic, { topic, atMs: now() }),
    read: () => ({
      sinceMs,
      ...counts,
      deviceCount: devices.count(),
      devices: devices.list(),
      formats: formats.list(),
      rejections: rejections.list(),
      unrouted: unrouted.list(),
    }),
  };
};
type Recording = ReturnType<typeof createRecording>;

/**
 * The activity of API keys, for people who wait for the first message of a device or a tool. Recorded in memory, and
 * only for keys whose activity is requested, so that ingest of other keys costs nothing.
 */
export const createKeyActivityLog = (now: () => number) => {
  const watched = new Map<string, { recording: Recording; untilMs: number }>();
  const refused = createLatestEntries<{ from: string; reason: string; detail: string }>(ACTIVITY_ITEMS);

  const find = (keyId: string | undefined): Recording | undefined =>
    watched.size === 0 || keyId === undefined ? undefined : watched.get(keyId)?.recording;

  const recordRefused = ({ from, reason, detail }: Omit<RefusedWrite, 'actor'>) =>
    refused.set(`${from} ${reason}`, { from, reason, detail, atMs: now() });

  return {
    /** Finds the recording of a key. Undefined: the key is not recorded. */
    find,
    recordRefused,
    /** Records why a write was rejected as a whole, and throws the error again. */
    rejectWrite: (keyId: string, error: unknown): never => {
      if (error instanceof HttpProblem)
        find(keyId)?.reject({ reason: error.code, detail: error.message, pipeline: null });
      throw error;
    },
    /** The activity of a key from the first read on. */
    read: (keyId: string) => {
      const nowMs = now();
      for (const [id, { untilMs }] of watched) if (untilMs <= nowMs) watched.delete(id);
      const recording = watched.get(keyId)?.recording ?? createRecording(nowMs, now);
      // The map is in the order of the last read, so that the oldest is dropped first.
      watched.delete(keyId);
      watched.set(keyId, { recording, untilMs: nowMs + WATCHED_MS });
      if (watched.size > MAX_WATCHED) watched.delete(watched.keys().next().value!);
      const activity = recording.read();
      return { ...activity, refused: refused.list().filter(({ atMs }) => atMs >= activity.sinceMs) };
    },
  };
};
export type KeyActivityLog = ReturnType<typeof createKeyActivityLog>;
