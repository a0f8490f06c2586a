import { useQueries } from '@tanstack/react-query';
import type { Metric, MetricKind } from '#contract/telemetry.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import type { ChosenDevice } from './chosen-devices.ts';

/** A metric of the chosen devices. What several say of it is taken from the first. */
export type KnownMetric = {
  metric: string;
  label: string;
  unit: string | null;
  kind: MetricKind;
  /** How many of the devices have it. */
  deviceCount: number;
};

export type KnownMetrics = {
  metrics: readonly KnownMetric[];
  /** How many devices were asked. */
  asked: number;
  byDevice: readonly { device: ChosenDevice; metrics: readonly Metric[] }[];
  isPending: boolean;
  error: Error | null;
  refetch: () => void;
};

/** Devices that were chosen by a tag are alike: what the first of them measure is what there is to choose. */
const ASKED_DEVICES = 20;
const FIRST_SERIES = 4;

const merged = (answers: readonly (readonly Metric[])[]): KnownMetric[] => {
  const known = new Map<string, KnownMetric>();
  for (const { metric, label, unit, kind } of answers.flat()) {
    const before = known.get(metric);
    known.set(
      metric,
      before === undefined
        ? { metric, label: label ?? metric, unit, kind, deviceCount: 1 }
        : { ...before, unit: before.unit ?? unit, deviceCount: before.deviceCount + 1 },
    );
  }
  return [...known.values()].toSorted((a, b) => a.label.localeCompare(b.label));
};

/** What the chosen devices measure. */
export const useKnownMetrics = (devices: readonly ChosenDevice[]): KnownMetrics => {
  const asked = devices.slice(0, ASKED_DEVICES);
  const results = useQueries({ queries: asked.map(({ id }) => telemetryQueries.metrics(id)) });
  const byDevice = asked.map((device, index) => ({ device, metrics: results[index]?.data?.data ?? [] }));
  return {
    metrics: merged(byDevice.map(({ metrics }) => metrics)),
    asked: asked.length,
    byDevice,
    isPending: results.some(({ isPending }) => isPending),
    error: results.find(({ error, data }) => error !== null && data === undefined)?.error ?? null,
    refetch: () => {
      for (const { refetch, isError } of results) if (isError) void refetch();
    },
  };
};

/**
 * The metrics to begin with: numbers (states only where there are none), from each device in turn, so that none is left
 * without a line; as many series as are read at a glance.
 */
export const firstMetrics = ({ byDevice }: Pick<KnownMetrics, 'byDevice'>): readonly string[] => {
  const isNumber = ({ kind }: Metric) => kind === 'number';
  const hasNumbers = byDevice.some(({ metrics }) => metrics.some(isNumber));
  const offered = byDevice.map(({ metrics }) => (hasNumbers ? metrics.filter(isNumber) : metrics));
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
