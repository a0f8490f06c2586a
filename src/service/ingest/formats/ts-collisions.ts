import { externalIdSchema } from '#contract/devices.ts';
import { metricNameSchema, type Value } from '#contract/telemetry.ts';
import { isObject, type JsonObject } from './message-format.ts';
import type { MessageReading } from './read-message.ts';

const NAMED_METRICS = 5;
const SHOWN_CHARACTERS = 40;

type Sample = JsonObject & { device: string; values: JsonObject };

const isSample = (sample: unknown): sample is Sample =>
  isObject(sample) && typeof sample['device'] === 'string' && isObject(sample['values']);

/** Only what may be stored can collide: the rest is rejected for what it is. */
const isValue = (value: unknown): value is Value =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';

/** A metric with two of its values, as an example. */
type Collision = { metric: string; values: readonly [Value, Value] };

/** The places of samples that share their device and their time with others, by device and time. */
const findShared = (
  samples: readonly unknown[],
  readTime: (ts: unknown) => number | undefined,
): { device: string; tsMs: number; places: number[] }[] => {
  const shared: { device: string; tsMs: number; places: number[] }[] = [];
  const devices = new Map<string, Map<number, number[]>>();
  for (const [place, sample] of samples.entries()) {
    // A sample without a time is stamped beside the others.
    if (!isSample(sample) || sample['ts'] === undefined) continue;
    const tsMs = readTime(sample['ts']);
    if (tsMs === undefined) continue;
    const { device } = sample;
    let times = devices.get(device);
    if (times === undefined) devices.set(device, (times = new Map()));
    const places = times.get(tsMs);
    if (places === undefined) times.set(tsMs, [place]);
    else if (places.push(place) === 2) shared.push({ device, tsMs, places });
  }
  return shared;
};

/** The metrics of which these samples give different values, by name. */
const findCollisions = (samples: readonly Sample[]): ReadonlyMap<string, Collision> => {
  const first = new Map<string, Value>();
  const collisions = new Map<string, Collision>();
  for (const { values } of samples)
    for (const metric of Object.keys(values)) {
      const value = values[metric];
      if (!isValue(value)) continue;
      const before = first.get(metric);
      if (before === undefined) first.set(metric, value);
      else if (before !== value && !collisions.has(metric) && metricNameSchema.safeParse(metric).success)
        collisions.set(metric, { metric, values: [before, value] });
    }
  return collisions;
};

const shown = (value: Value): string => {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
};

const describe = (
  metrics: ReadonlySet<string>,
  { device, tsMs, collision }: { device: string; tsMs: number; collision: Collision },
): string => {
  const more = metrics.size - NAMED_METRICS;
  const names = [...metrics].slice(0, NAMED_METRICS).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const [one, other] = collision.values;
  return (
    `${names}: The message gives different values for one device and time: ${collision.metric} of ${device} ` +
    `at ${new Date(tsMs).toISOString()} is both ${shown(one)} and ${shown(other)}. None of them is stored. ` +
    'Give each value a metric name or a device of its own, for example with an expression.'
  );
};

/**
 * Rejects the values of a message that contradict each other: different ones for one device, metric and time, of which
 * only the last would stay. Which one is right is not known, so none is taken. Equal ones are duplicates, and values
 * without a time get times of their own. `readTime` gives epoch ms, or undefined for what is no time.
 */
export const rejectCollisions = (
  reading: MessageReading,
  readTime: (ts: unknown) => number | undefined,
): MessageReading => {
  if (reading.samples.length < 2) return reading;
  const metrics = new Set<string>();
  /** The samples that lose values, with what is left of each; undefined: nothing. */
  const changed = new Map<number, Sample | undefined>();
  let example: Parameters<typeof describe>[1] | undefined;
  let values = 0;
  for (const { device, tsMs, places } of findShared(reading.samples, readTime)) {
    const collisions = findCollisions(places.map((place) => reading.samples[place] as Sample));
    const [collision] = collisions.values();
    if (collision === undefined || !externalIdSchema.safeParse(device).success) continue;
    example ??= { device, tsMs, collision };
    for (const metric of collisions.keys()) metrics.add(metric);
    for (const place of places) {
      const sample = reading.samples[place] as Sample;
      const entries = Object.entries(sample.values);
      const kept = entries.filter(([metric, value]) => !collisions.has(metric) || !isValue(value));
      values += entries.length - kept.length;
      if (kept.length === entries.length) continue;
      changed.set(place, kept.length === 0 ? undefined : { ...sample, values: Object.fromEntries(kept) });
    }
  }
  if (example === undefined) return reading;
  const samples = reading.samples.flatMap((sample, place) =>
    changed.has(place) ? (changed.get(place) ?? []) : [sample],
  );
  const rejection = { reason: 'ts-collision', detail: describe(metrics, example), values };
  return { ...reading, samples, refused: [...reading.refused, rejection] };
};
