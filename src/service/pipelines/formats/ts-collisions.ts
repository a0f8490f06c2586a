import type { Value } from '#contract/telemetry.ts';
import { HASH_SEEDS } from '../../telemetry/store/hash-seeds.ts';
import { seriesAt, valueAt } from '../../telemetry/store/sample-columns.ts';
import type { SampleCollector } from '../../telemetry/write/sample-collector.ts';
import type { MessageRejection } from './message.ts';
import { toIsoTime } from '../../platform/iso-time.ts';
import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';

const NAMED_METRICS = 5;
/** Two samples of one series and time with different values, by their positions. */
type Collision = { readonly one: number; readonly other: number };

const mix = (hash: number, seed: number): number => {
  const mixed = Math.imul(hash ^ (hash >>> 16), seed);
  return mixed ^ (mixed >>> 15);
};

const hashOf = (device: number, metric: number, ts: number): number =>
  mix(mix(mix(Math.trunc(ts / 2 ** 32) ^ device, HASH_SEEDS[0]) ^ ts, HASH_SEEDS[1]) ^ metric, HASH_SEEDS[2]);

/**
 * Returns, for each sample from position `from` on, the position of the first one with the same device, metric and
 * time. A sample without a timestamp is its own first: it gets a distinct timestamp later.
 */
const findFirsts = ({ series, index, ts, length }: SampleCollector, from: number): Uint32Array => {
  const { device, metric } = series;
  const firsts = new Uint32Array(length - from);
  /** A hash table of positions plus one, at most half full; 0 is free. */
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * (length - from) + 1)));
  const mask = slots.length - 1;
  for (let i = from; i < length; i += 1) {
    firsts[i - from] = i;
    const [s, at] = [index[i]!, ts[i]!];
    if (Number.isNaN(at)) continue;
    let slot = hashOf(device[s]!, metric[s]!, at) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const first = slots[slot]! - 1;
      const other = index[first]!;
      if (ts[first] !== at || device[other] !== device[s] || metric[other] !== metric[s]) continue;
      firsts[i - from] = first;
      break;
    }
    if (slots[slot] === 0) slots[slot] = i + 1;
  }
  return firsts;
};

const shown = (value: Value): string => shorten(JSON.stringify(value), SHOWN_CHARACTERS);

const describe = (columns: SampleCollector, collisions: readonly Collision[]): string => {
  const keyOf = ({ one }: Collision) => seriesAt(columns.series, columns.index[one]!);
  const metrics = [...new Set(collisions.map((collision) => keyOf(collision).metric))];
  const more = metrics.length - NAMED_METRICS;
  const names = metrics.slice(0, NAMED_METRICS).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const [example] = collisions as [Collision];
  const { device, metric } = keyOf(example);
  return (
    `${names}: The message contains different values for the same device and time: ${metric} of ${device} ` +
    `at ${toIsoTime(columns.ts[example.one]!)} is both ${shown(valueAt(columns, example.one))} and ` +
    `${shown(valueAt(columns, example.other))}. None of these samples is stored. ` +
    'Give each value its own metric name or device, for example with an expression.'
  );
};

/**
 * Removes the samples from position `from` on that contradict each other: different values for the same device, metric
 * and time, of which only the last would be stored. All of them are rejected, since it is unknown which value
 * is correct. Equal samples are duplicates.
 */
export const removeCollisions = (columns: SampleCollector, from: number): MessageRejection | undefined => {
  const { length } = columns;
  const firsts = findFirsts(columns, from);
  const collisions = new Map<number, Collision>();
  for (const [offset, one] of firsts.entries()) {
    const other = from + offset;
    if (one !== other && !collisions.has(one) && valueAt(columns, one) !== valueAt(columns, other))
      collisions.set(one, { one, other });
  }
  if (collisions.size === 0) return undefined;
  const detail = describe(columns, [...collisions.values()]);
  columns.keepFrom(from, (i) => !collisions.has(firsts[i - from]!));
  return { reason: 'ts-collision', detail, samples: length - columns.length };
};
