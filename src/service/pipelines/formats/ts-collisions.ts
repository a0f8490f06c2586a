import { externalIdSchema } from '#contract/devices.ts';
import { metricNameSchema, type Value } from '#contract/telemetry.ts';
import { isObject, type JsonObject } from './message-format.ts';
import type { MessageReading } from './read-message.ts';

const NAMED_METRICS = 5;
const SHOWN_CHARACTERS = 40;

type Sample = JsonObject & { device: string; values: JsonObject };

const isSample = (sample: unknown): sample is Sample =>
  isObject(sample) && typeof sample['device'] === 'string' && isObject(sample['values']);

/** Only valid values can collide. Others are rejected for their own reasons. */
const isValue = (value: unknown): value is Value =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string';

/** A metric with two of its different values, as an example. */
type Collision = { metric: string; values: readonly [Value, Value] };

/** The positions of samples that share their device and time with other samples. */
const findShared = (
  samples: readonly unknown[],
  readTime: (ts: unknown) => number | undefined,
): { device: string; tsMs: number; places: number[] }[] => {
  const shared: { device: string; tsMs: number; places: number[] }[] = [];
  const devices = new Map<string, Map<number, number[]>>();
  for (const [place, sample] of samples.entries()) {
    // Samples without a timestamp get distinct ones later.
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

/** The metrics for which these samples have different values, by name. */
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
    `${names}: The message contains different values for the same device and time: ${collision.metric} of ${device} ` +
    `at ${new Date(tsMs).toISOString()} is both ${shown(one)} and ${shown(other)}. None of these values is stored. ` +
    'Give each value its own metric name or device, for example with an expression.'
  );
};

/**
 * Rejects values of a message that contradict each other: different values for the same device, metric and time, of
 * which only the last would be stored. All of them are rejected, since nothing tells which is right. Equal values are
 * duplicates, and values without a timestamp get distinct ones. `readTime` returns epoch ms, or undefined for an
 * invalid timestamp.
 */
export const rejectCollisions = (
  reading: MessageReading,
  readTime: (ts: unknown) => number | undefined,
): MessageReading => {
  if (reading.samples.length < 2) return reading;
  const metrics = new Set<string>();
  /** The samples that lose values, with their remaining values; undefined: none remain. */
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
  return { ...reading, samples, rejections: [...reading.rejections, rejection] };
};
