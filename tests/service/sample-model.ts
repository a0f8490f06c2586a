import fc from 'fast-check';
import type { MetricKind, Value } from '#contract/telemetry.ts';
import { OUTCOME } from '#service/telemetry/store/telemetry-store.ts';

export const BUCKET_MS = 500;
export const DEVICES = ['dev_a', 'dev_b'];
const METRICS: Record<string, MetricKind> = { temp: 'number', mode: 'string', on: 'boolean' };

export type ModelSample = { device: string; metric: string; ts: number; value: Value };
export type Removal = { devices: string[]; metrics: string[] | undefined; fromMs: number; toMs: number };

/** The store, as plainly as it can be said. */
export class SampleModel {
  readonly series = new Map<string, Map<number, Value>>();

  write({ device, metric, ts, value }: ModelSample): number {
    const name = `${device} ${metric}`;
    const samples = this.series.get(name) ?? new Map<number, Value>();
    this.series.set(name, samples);
    const before = samples.get(ts);
    samples.set(ts, value);
    if (before === undefined) return OUTCOME.accepted;
    return before === value ? OUTCOME.duplicate : OUTCOME.overwritten;
  }

  remove({ devices, metrics, fromMs, toMs }: Removal): number {
    let removed = 0;
    for (const [name, samples] of this.series) {
      const [device = '', metric = ''] = name.split(' ');
      if (!devices.includes(device) || metrics?.includes(metric) === false) continue;
      for (const ts of samples.keys()) if (ts >= fromMs && ts < toMs) removed += Number(samples.delete(ts));
      if (samples.size === 0) this.series.delete(name);
    }
    return removed;
  }

  /** The samples of each series in order of time. */
  content(): Record<string, [ts: number, value: Value][]> {
    return Object.fromEntries(
      [...this.series].map(([name, samples]) => [name, [...samples].toSorted(([a], [b]) => a - b)]),
    );
  }

  /** All buckets of the metric `temp`, as counting by hand finds them. */
  buckets(device: string, bucketMs: number) {
    const inOrder = this.content()[`${device} temp`] ?? [];
    const buckets = [...Map.groupBy(inOrder, ([ts]) => Math.floor(ts / bucketMs) * bucketMs)];
    return buckets.map(([start, of]) => {
      const values = of.map(([, value]) => Number(value));
      return [start, values.length, Math.min(...values), Math.max(...values), values[0], values.at(-1)];
    });
  }
}

const time = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 60 }) },
  { weight: 2, arbitrary: fc.integer({ min: -5_000, max: 5_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(1_760_000_000_000, 8_640_000_000_000_000, -8_640_000_000_000_000) },
);
const number = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.integer({ min: -500, max: 500 }).map((tenths) => tenths / 10),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const text = fc.oneof(fc.constantFrom('eco', 'comfort', ''), fc.string({ unit: 'binary' }));
const value = (kind: MetricKind): fc.Arbitrary<Value> =>
  kind === 'number' ? number : kind === 'boolean' ? fc.boolean() : text;
export const given: fc.Arbitrary<ModelSample> = fc
  .constantFrom(...Object.entries(METRICS))
  .chain(([metric, kind]) =>
    fc.record({
      device: fc.constantFrom(...DEVICES),
      metric: fc.constant(metric),
      ts: time,
      value: value(kind),
    }),
  );
/** Many samples of one series in order of time, so that there are enough chunks to roll up. */
export const burst: fc.Arbitrary<ModelSample[]> = fc
  .record({
    device: fc.constantFrom(...DEVICES),
    from: fc.integer({ min: -40, max: 40 }).map((n) => n * 100),
    stepMs: fc.constantFrom(3, 20, 90),
    count: fc.integer({ min: 20, max: 60 }),
    value: fc.integer({ min: -500, max: 500 }),
  })
  .map(({ device, from, stepMs, count, value: first }) =>
    Array.from({ length: count }, (_, n) => ({
      device,
      metric: 'temp',
      ts: from + n * stepMs,
      value: (first + n) / 10,
    })),
  );

export const removal = fc.record({
  devices: fc.subarray(DEVICES, { minLength: 1 }),
  metrics: fc.option(fc.subarray(Object.keys(METRICS)), { nil: undefined }),
  fromMs: fc.oneof(fc.constant(-Infinity), time),
  toMs: fc.oneof(fc.constant(Infinity), time),
});
