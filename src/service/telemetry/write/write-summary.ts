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

type Counts = { accepted: number; overwritten: number; duplicates: number };
export type Summary = Counts & {
  /** For a replay: number of new or changed samples, by the index of their group. */
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
    isReplay = false,
    metricsPerDevice,
  }: { rejected: RejectionList; isReplay: boolean | undefined; metricsPerDevice: number },
): Summary => {
  const counts = { accepted: 0, overwritten: 0, duplicates: 0 };
  const newByGroup = new Map<number, number>();
  const overwrittenByGroup = new Map<number, number>();
  for (let i = 0; i < outcome.length; i += 1) {
    const outcomeOfSample = outcome[i];
    if (outcomeOfSample === OUTCOME.accepted && !isReplay) counts.accepted += 1;
    else if (outcomeOfSample === OUTCOME.duplicate) counts.duplicates += 1;
    else {
      const group = reading.groupOf[source[i]!]!;
      if (outcomeOfSample === OUTCOME.kindMismatch) {
        const { kind } = seriesAt(batch.series, batch.index[i]!);
        rejected.add(
          source[i]!,
          'values',
          'kind-mismatch',
          `The metric has values of kind ${kinds[batch.index[i]!]}, not ${kind}. Send the value under another metric name.`,
        );
        continue;
      }
      if (outcomeOfSample === OUTCOME.metricLimit) {
        rejected.add(
          source[i]!,
          'values',
          'metric-limit',
          `The device has ${metricsPerDevice} metrics, the limit (METRICS_PER_DEVICE). Use an existing metric, or delete the telemetry of metrics that are no longer needed.`,
        );
        continue;
      }
      counts.accepted += 1;
      if (isReplay) newByGroup.set(group, (newByGroup.get(group) ?? 0) + 1);
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
