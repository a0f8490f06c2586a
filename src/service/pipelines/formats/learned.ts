import { LIMITS } from '#contract/sample-rules.ts';
import type { Entity } from './home-assistant-entity.ts';
import { createSparkplugSessions, type SparkplugSessions } from './sparkplug-sessions.ts';

/** The limits of the entries that a pipeline learns. Entries are in memory, and any sender of a topic can add some. */
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 4 * 1_048_576;
/** The approximate size of an entry without its texts. */
const ENTRY_BYTES = 100;

/** Entries by key. */
export type LearnedMap<Value> = {
  get(key: string): Value | undefined;
  /** Undefined removes the entry. Returns false, and changes nothing, if there is no room. */
  set(key: string, value: Value | undefined): boolean;
  keys(): Iterator<string> & Iterable<string>;
};

/** What a pipeline learned from messages about other messages. The broker retains most of these messages. */
export type Learned = {
  /** Attributes of Homie devices by topic, such as the unit in `homie/meter/power/value/$unit`. */
  readonly attributes: LearnedMap<string>;
  /** The entities of Home Assistant discovery by the topic of their state, then by the topic of their configuration. */
  readonly entities: LearnedMap<Readonly<Record<string, readonly Entity[]>>>;
  /** The topics of the states in each configuration, by its topic. */
  readonly configurations: LearnedMap<readonly string[]>;
  /** The topic of the configuration of each metric, by `externalId/metric`. */
  readonly metrics: LearnedMap<string>;
  /** The edge nodes of Sparkplug. Only in memory. */
  readonly sparkplug: SparkplugSessions;
};

type LearnedKind = Exclude<keyof Learned, 'sparkplug'>;

/** What was learned, as JSON. */
export type LearnedEntries = { readonly [K in LearnedKind]?: Readonly<Record<string, unknown>> };

export const learnedKinds = ['attributes', 'entities', 'configurations', 'metrics'] as const;

type OnChange = (kind: LearnedKind, key: string, isKnown: boolean) => void;

/** Creates what a pipeline learned, which can grow up to the limits. `onChange`: called after each change. */
export const createLearned = (
  onChange: OnChange,
  sparkplug: SparkplugSessions = createSparkplugSessions(() => undefined),
): Learned => {
  let size = 0;
  let bytes = 0;

  const mapOf = <Value>(kind: LearnedKind): LearnedMap<Value> => {
    // The JSON of a value is compared and measured. Values are not changed in place.
    const known = new Map<string, { readonly value: Value; readonly json: string }>();
    const bytesOf = (key: string, json: string) => ENTRY_BYTES + 2 * (key.length + json.length);
    const remove = (key: string): boolean => {
      const before = known.get(key);
      if (before === undefined) return false;
      bytes -= bytesOf(key, before.json);
      size -= 1;
      return known.delete(key);
    };
    const add = (key: string, value: Value): boolean => {
      const json = JSON.stringify(value);
      const before = known.get(key);
      if (before?.json === json) return true;
      const after = bytes + bytesOf(key, json) - (before === undefined ? 0 : bytesOf(key, before.json));
      if (after > MAX_BYTES || (before === undefined && size >= MAX_ENTRIES)) return false;
      remove(key);
      known.set(key, { value, json });
      [size, bytes] = [size + 1, after];
      onChange(kind, key, true);
      return true;
    };
    return {
      get: (key) => known.get(key)?.value,
      set: (key, value) => {
        if (value !== undefined) return add(key, value);
        if (remove(key)) onChange(kind, key, false);
        return true;
      },
      keys: () => known.keys(),
    };
  };
  return {
    attributes: mapOf('attributes'),
    entities: mapOf('entities'),
    configurations: mapOf('configurations'),
    metrics: mapOf('metrics'),
    sparkplug,
  };
};

/** The same entries for a preview, which learns nothing. */
export const learnedForPreview = (learned: Learned): Learned => {
  const unchanged = <Value>({ get, keys }: LearnedMap<Value>): LearnedMap<Value> => ({
    get,
    keys,
    set: () => true,
  });
  return {
    attributes: unchanged(learned.attributes),
    entities: unchanged(learned.entities),
    configurations: unchanged(learned.configurations),
    metrics: unchanged(learned.metrics),
    sparkplug: createSparkplugSessions(() => undefined),
  };
};

/** The same entries for a replay. Aliases may have changed since the messages were received. */
export const learnedForReplay = (learned: Learned): Learned => ({
  ...learned,
  sparkplug: createSparkplugSessions(() => undefined),
});

/** The rejection of a message that a pipeline has no room to learn. */
export const noRoomToLearn = {
  reason: 'learned-limit',
  detail: `The pipeline has reached the limit of learned names, units and topics: ${MAX_ENTRIES.toLocaleString('en')} entries, ${MAX_BYTES / 1_048_576} MiB, or ${LIMITS.metricsPerTimestamp} values of one topic. Subscribe to fewer topics, or distribute them among several pipelines.`,
  samples: 1,
};
