import type { MetricKind, Value } from '#contract/telemetry.ts';
import type { PreparedBatch, RejectionList } from './prepare-batch.ts';
import type { SampleReading } from './sample-reading.ts';
import { seriesAt, valueAt } from '../store/sample-columns.ts';
import { OUTCOME, type WriteBatch, type WriteResult } from '../store/telemetry-store.ts';

/** New or changed samples of one series in a write, in the order of receipt. */
export type AcceptedSeries = {
  readonly device: string;
  readonly metric: string;
  readonly kind: MetricKind;
  readonly ts: number[];
  readonly value: Value[];
};

/** Overwritten samples of a series in one write, with the latest of them and its value before, if known. */
export type OverwrittenSeries = {
  readonly device: string;
  readonly metric: string;
  readonly count: number;
  /** The index of the group with the latest overwritten sample. */
  readonly index: number;
  readonly ts: number;
  readonly before: Value | undefined;
  readonly after: Value;
};

const isStored = (outcome: number | undefined): boolean =>
  outcome === OUTCOME.accepted || outcome === OUTCOME.overwritten;

/** The stored samples of a batch, by series. */
export const acceptedSeries = (batch: WriteBatch, { outcome }: WriteResult): AcceptedSeries[] => {
  const accepted = new Map<number, AcceptedSeries>();
  for (const [i, s] of batch.index.entries()) {
    if (!isStored(outcome[i])) continue;
    let columns = accepted.get(s);
    if (columns === undefined)
      accepted.set(s, (columns = { ...seriesAt(batch.series, s), ts: [], value: [] }));
    columns.ts.push(batch.ts[i]!);
    columns.value.push(valueAt(batch, i));
  }
  return [...accepted.values()];
};

/** What values of a kind are called. */
const PLURALS = { number: 'numbers', boolean: 'booleans', string: 'text' } as const;
const SINGULARS = { number: 'a number', boolean: 'a boolean', string: 'text' } as const;
const NUMBER_AS_TEXT = /^-?\d{1,15}(\.\d{1,15})?$/;

/** The value of this kind that a sender probably means by another value; undefined: unknown. */
const meantValue = (kind: MetricKind, value: Value): string | undefined => {
  if (kind === 'boolean' && (value === 0 || value === 1)) return `${value === 1} instead of ${value}`;
  if (kind === 'number' && typeof value === 'boolean') return `${Number(value)} instead of ${value}`;
  const isQuoted =
    typeof value === 'string' &&
    ((kind === 'number' && NUMBER_AS_TEXT.test(value)) ||
      (kind === 'boolean' && (value === 'true' || value === 'false')));
  return isQuoted ? `${value} without quotes` : undefined;
};

const describeKindMismatch = (kind: MetricKind, value: Value): string => {
  const meant = meantValue(kind, value);
  const advice =
    meant === undefined
      ? 'The first sample of a metric determines the kind. Use another metric, or, if the stored samples are wrong, delete all samples of the metric and send this one again.'
      : `Send ${meant}.`;
  return `The metric holds ${PLURALS[kind]}, and this value is ${SINGULARS[typeof value as MetricKind]}. ${advice}`;
};

type Counts = { accepted: number; overwritten: number; duplicates: number };
export type Summary = Counts & {
  /** With `countsNew`: number of new or changed samples, by the index of their group. */
  readonly newByGroup: ReadonlyMap<number, number>;
  /** Number of samples that replaced a different value, by the index of their group. */
  readonly overwrittenByGroup: ReadonlyMap<number, number>;
};

/** Counts the outcomes, and rejects samples of another kind than their metric, or of a metric too many. */
export const summarise = (
  reading: SampleReading,
  { batch, source }: PreparedBatch,
  { outcome, kinds }: WriteResult,
  {
    rejected,
    countsNew,
    metricsPerDevice,
  }: { rejected: RejectionList; countsNew: boolean; metricsPerDevice: number },
): Summary => {
  const counts = { accepted: 0, overwritten: 0, duplicates: 0 };
  const newByGroup = new Map<number, number>();
  const overwrittenByGroup = new Map<number, number>();
  for (let i = 0; i < outcome.length; i += 1) {
    const outcomeOfSample = outcome[i];
    if (outcomeOfSample === OUTCOME.accepted && !countsNew) counts.accepted += 1;
    else if (outcomeOfSample === OUTCOME.duplicate) counts.duplicates += 1;
    else {
      const group = reading.groupOf[source[i]!]!;
      if (outcomeOfSample === OUTCOME.kindMismatch) {
        const detail = describeKindMismatch(kinds[batch.index[i]!]!, valueAt(batch, i));
        rejected.add(source[i]!, 'values', 'kind-mismatch', detail);
        continue;
      }
      if (outcomeOfSample === OUTCOME.metricLimit) {
        rejected.add(
          source[i]!,
          'values',
          'metric-limit',
          `The device has reached the limit of ${metricsPerDevice} metrics (METRICS_PER_DEVICE). Use an existing metric, or delete the telemetry of metrics that are no longer needed.`,
        );
        continue;
      }
      counts.accepted += 1;
      if (countsNew) newByGroup.set(group, (newByGroup.get(group) ?? 0) + 1);
      if (outcomeOfSample !== OUTCOME.overwritten) continue;
      counts.overwritten += 1;
      overwrittenByGroup.set(group, (overwrittenByGroup.get(group) ?? 0) + 1);
    }
  }
  return { ...counts, newByGroup, overwrittenByGroup };
};

/** The series with overwritten samples, ordered by the latest of them. */
export const overwritesIn = (
  reading: SampleReading,
  { batch, source }: PreparedBatch,
  { outcome, replaced }: WriteResult,
): OverwrittenSeries[] => {
  const found = new Map<number, { count: number; position: number }>();
  for (const [position, outcomeOfSample] of outcome.entries()) {
    if (outcomeOfSample !== OUTCOME.overwritten) continue;
    const s = batch.index[position]!;
    const count = (found.get(s)?.count ?? 0) + 1;
    found.delete(s);
    found.set(s, { count, position });
  }
  return Array.from(found, ([s, { count, position }]) => {
    const { device, metric } = seriesAt(batch.series, s);
    const index = reading.groupOf[source[position]!]!;
    const [ts, before, after] = [batch.ts[position]!, replaced?.get(position), valueAt(batch, position)];
    return { device, metric, count, index, ts, before, after };
  });
};
