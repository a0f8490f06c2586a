import { useQueries } from '@tanstack/react-query';
import { sortByRelevance } from '#contract/first-metric.ts';
import type { Metric, MetricType } from '#contract/metrics.ts';
import type { SeriesName } from '../../charts/series/series-of-answer.ts';
import type { MetricKind } from '#contract/telemetry.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import type { ChosenDevice } from './chosen-devices.ts';

/** A metric of the chosen devices. Label, unit and the rest are those of the first device. */
export type KnownMetric = {
  metric: string;
  label: string;
  unit: string | null;
  kind: MetricKind;
  decimals: number | null;
  metricType: MetricType | null;
  /** How many of the devices have it. */
  deviceCount: number;
};

export type KnownMetrics = {
  metrics: readonly KnownMetric[];
  /** The number of queried devices. */
  queriedCount: number;
  byDevice: readonly { device: ChosenDevice; metrics: readonly Metric[] }[];
  isPending: boolean;
  error: Error | null;
  refetch: () => void;
};

/** Devices with the same tag are usually alike, so only the first ones are queried for metrics. */
const QUERIED_DEVICES = 20;
const FIRST_SERIES = 4;

const merged = (answers: readonly (readonly Metric[])[]): KnownMetric[] => {
  const known = new Map<string, KnownMetric>();
  for (const { metric, label, unit, kind, decimals, metricType } of answers.flat()) {
    const before = known.get(metric);
    known.set(
      metric,
      before === undefined
        ? { metric, label: label ?? metric, unit, kind, decimals, metricType, deviceCount: 1 }
        : { ...before, unit: before.unit ?? unit, deviceCount: before.deviceCount + 1 },
    );
  }
  return [...known.values()].toSorted((a, b) => a.label.localeCompare(b.label));
};

/** The label and the decimals of a series: of its device if it was queried, else of the first device. */
export const namesIn =
  ({ metrics, byDevice }: Pick<KnownMetrics, 'metrics' | 'byDevice'>) =>
  (device: string, metric: string): SeriesName => {
    const own = byDevice
      .find((each) => each.device.id === device)
      ?.metrics.find((each) => each.metric === metric);
    const known = own ?? metrics.find((each) => each.metric === metric);
    return { label: known?.label ?? metric, decimals: known?.decimals ?? null };
  };

/** The metrics of the chosen devices. */
export const useKnownMetrics = (devices: readonly ChosenDevice[]): KnownMetrics => {
  const queried = devices.slice(0, QUERIED_DEVICES);
  const results = useQueries({ queries: queried.map(({ id }) => telemetryQueries.metrics(id)) });
  const byDevice = queried.map((device, index) => ({ device, metrics: results[index]?.data?.data ?? [] }));
  return {
    metrics: merged(byDevice.map(({ metrics }) => metrics)),
    queriedCount: queried.length,
    byDevice,
    isPending: results.some(({ isPending }) => isPending),
    error: results.find(({ error, data }) => error !== null && data === undefined)?.error ?? null,
    refetch: () => {
      for (const { refetch, isError } of results) if (isError) void refetch();
    },
  };
};

/**
 * The default metrics: numbers (states only if there are none), measurements first, from each device in turn, so that
 * each device has a line; as many series as are easy to read.
 */
export const firstMetrics = ({ byDevice }: Pick<KnownMetrics, 'byDevice'>): readonly string[] => {
  const isNumber = ({ kind }: Metric) => kind === 'number';
  const hasNumbers = byDevice.some(({ metrics }) => metrics.some(isNumber));
  const offered = byDevice.map(({ metrics }) =>
    sortByRelevance(hasNumbers ? metrics.filter(isNumber) : metrics),
  );
  const chosen = new Set<string>();
  const seriesCount = () => offered.flat().filter(({ metric }) => chosen.has(metric)).length;
  const rounds = Math.max(0, ...offered.map((metrics) => metrics.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const metrics of offered) {
      const next = metrics[round];
      if (next !== undefined && seriesCount() < FIRST_SERIES) chosen.add(next.metric);
    }
  }
  return [...chosen];
};
