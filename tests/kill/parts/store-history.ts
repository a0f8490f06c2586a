import type { MetricKind, Value } from '#contract/telemetry.ts';
import type { Selection, StoredSeries } from '#service/telemetry/store/telemetry-store.ts';
import { seededRandom } from './seeded-random.ts';

const METRICS: readonly (readonly [string, MetricKind])[] = [
  ['temperature', 'number'],
  ['humidity', 'number'],
  ['energy', 'number'],
  ['pressure', 'number'],
  ['mode', 'string'],
  ['open', 'boolean'],
];
const MODES = ['eco', 'comfort', 'away', ''];
const SAMPLE_EVERY_MS = 10;
const OPERATION_MS = 1_000;
/** Older samples are removed regularly, so that the comparison of a long run stays short. */
const KEPT_OPERATIONS = 60;

type Sample = {
  readonly device: string;
  readonly metric: string;
  readonly ts: number;
  readonly value: Value;
};

export type Operation = { readonly write: readonly Sample[] } | { readonly remove: Selection };

export const deviceOf = (writer: number): string => `dev_${writer}`;

const valueOf = (kind: MetricKind, random: () => number): Value => {
  if (kind === 'number') return Math.round(random() * 1_000) / 10;
  return kind === 'boolean' ? random() < 0.5 : MODES[Math.floor(random() * MODES.length)]!;
};

/** Samples of all metrics: later than all earlier ones, or spread over the time of earlier operations. */
const writeOf = (writer: number, n: number, random: () => number): Sample[] => {
  const isLate = random() < 0.2;
  const perSeries = 10 + Math.floor(random() * 90);
  const timeOf = (i: number): number =>
    isLate
      ? Math.floor((n - random() * Math.min(n, KEPT_OPERATIONS)) * (OPERATION_MS / SAMPLE_EVERY_MS)) *
        SAMPLE_EVERY_MS
      : n * OPERATION_MS + i * SAMPLE_EVERY_MS;
  return METRICS.flatMap(([metric, kind]) => {
    const times = new Set(Array.from({ length: perSeries }, (_, i) => timeOf(i)));
    return [...times].map((ts) => ({ device: deviceOf(writer), metric, ts, value: valueOf(kind, random) }));
  });
};

const removalOf = (writer: number, n: number, random: () => number): Selection => {
  const devices = [deviceOf(writer)];
  if (random() < 0.5) return { devices, fromMs: -Infinity, toMs: (n - KEPT_OPERATIONS) * OPERATION_MS };
  const fromMs = (n - random() * KEPT_OPERATIONS) * OPERATION_MS;
  const metrics = METRICS.filter(() => random() < 0.5).map(([metric]) => metric);
  return { devices, metrics, fromMs, toMs: fromMs + random() * 10 * OPERATION_MS };
};

/** Operation `n` of a writer: the same for the same seed. */
export const operationOf = (seed: number, writer: number, n: number): Operation => {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(writer + 1, 0x85ebca6b) ^ n);
  return n % 10 === 9 ? { remove: removalOf(writer, n, random) } : { write: writeOf(writer, n, random) };
};

const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

/** The samples of a device in plain maps, with a fingerprint that does not depend on their order. */
export class Content {
  readonly #values = new Map<string, Map<number, Value>>();
  #count = 0;
  #sums = [0, 0];

  get count(): number {
    return this.#count;
  }

  get fingerprint(): string {
    return [this.#count, ...this.#sums].join(':');
  }

  #toggle(metric: string, ts: number, value: Value): void {
    const text = `${metric} ${ts} ${typeof value} ${value}`;
    this.#sums = [this.#sums[0]! ^ hashOf(text), this.#sums[1]! ^ hashOf(`${text} `)];
  }

  set(metric: string, ts: number, value: Value): void {
    const samples = this.#values.get(metric) ?? new Map<number, Value>();
    this.#values.set(metric, samples);
    const before = samples.get(ts);
    if (before === undefined) this.#count += 1;
    else this.#toggle(metric, ts, before);
    samples.set(ts, value);
    this.#toggle(metric, ts, value);
  }

  /** Whether each sample of `other` is here too, with its value. */
  includes(other: Content): boolean {
    for (const [metric, samples] of other.#values)
      for (const [ts, value] of samples) if (this.#values.get(metric)?.get(ts) !== value) return false;
    return true;
  }

  /** Removes samples and returns them. */
  remove({ metrics, fromMs, toMs }: Selection): Content {
    const removed = new Content();
    for (const [metric, samples] of this.#values) {
      if (metrics?.includes(metric) === false) continue;
      for (const [ts, value] of samples) {
        if (ts < fromMs || ts >= toMs) continue;
        samples.delete(ts);
        this.#count -= 1;
        this.#toggle(metric, ts, value);
        removed.set(metric, ts, value);
      }
    }
    return removed;
  }

  /** Returns the removed samples. */
  apply(operation: Operation): Content {
    if ('remove' in operation) return this.remove(operation.remove);
    for (const { metric, ts, value } of operation.write) this.set(metric, ts, value);
    return new Content();
  }

  static of(series: readonly StoredSeries[]): Content {
    const content = new Content();
    for (const { metric, ts, value } of series)
      for (const [i, at] of ts.entries()) content.set(metric, at, value![i]!);
    return content;
  }
}
