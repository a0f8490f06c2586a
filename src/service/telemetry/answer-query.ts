import { defaultRankRule, type Across, type RankRule } from '#contract/across.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import type { Aggregate } from '#contract/telemetry.ts';
import type { Reader } from '../devices/device-search.ts';
import { HttpProblem } from '../platform/http/http-problem.ts';
import { createWorkQueue } from '../platform/http/work-queue.ts';
import type { Db } from '../platform/storage/database.ts';
import { VALUES_PER_QUERY } from '../platform/storage/slices.ts';
import { describeMetric } from './describe-metric.ts';
import { loadMetricSettings } from './metric-settings-store.ts';
import { answerJson, combinedJson, seriesJson } from './query/answer-json.ts';
import { combineSeries } from './query/combine-series.ts';
import { selectDevices, type DeviceSelection } from './query/device-selection.ts';
import { createDeviceSlices, type DeviceSlices } from './query/device-slices.ts';
import { readTop } from './query/rank-series.ts';
import {
  readAggregates,
  readRange,
  readResolution,
  type InvalidInput,
  type RangeText,
  type ResolutionText,
} from './query/telemetry-query.ts';
import type {
  CombinedSeries,
  Resolution,
  Selection,
  StoredSeries,
  TelemetryStore,
} from './store/telemetry-store.ts';

/** What a client asks for. `across` combines devices, `top` ranks their series. */
type Query = RangeText &
  ResolutionText & {
    readonly devices: DeviceSelection;
    readonly metrics?: readonly string[] | undefined;
    readonly aggregates?: readonly Aggregate[] | undefined;
    readonly across?: Across | undefined;
    readonly top?: number | undefined;
    readonly by?: RankRule | undefined;
  };

/** `seriesLimit`: of series in the response. `isAwaited`: whether the client still waits. */
type Request = Omit<Reader, 'nowMs'> & {
  readonly seriesLimit: number;
  readonly invalidInput: InvalidInput;
  readonly isAwaited: () => boolean;
};

type Dependencies = { db: Db; now: () => number; telemetry: TelemetryStore };

/** A query whose input is valid. */
type ReadPlan = {
  readonly selection: Selection;
  readonly resolution: Resolution;
  readonly aggregates: readonly Aggregate[];
  readonly externalIds: ReadonlyMap<string, string>;
};

/** Queries that read the series of many devices: how many run at the same time, and wait for these. */
const LONG_QUERIES = { running: 2, waiting: 30, name: 'queries over many devices' };

const requireOneWay = ({ across, top, by }: Query, invalidInput: InvalidInput): void => {
  if (across !== undefined && top !== undefined)
    throw invalidInput('top', 'Use either across or top, not both.');
  if (by !== undefined && top === undefined) throw invalidInput('by', 'Use by only together with top.');
};

const tooManySeries = (count: number, limit: number, advice: string): HttpProblem =>
  new HttpProblem('query-too-large', `The query selects ${count} series. The limit is ${limit}. ${advice}`);

const adviceFor = (limit: number): string =>
  limit < LIMITS.seriesPerQuery
    ? `Choose fewer devices or metrics, combine the devices with across, or use POST /v1/telemetry/query (at most ${LIMITS.seriesPerQuery} series).`
    : 'Choose fewer devices or metrics, combine the devices with across, or choose some with top.';

/** Answers queries as pieces of JSON. Cheap checks run first. */
export const createQueryAnswers = ({ db, now, telemetry }: Dependencies) => {
  const runLong = createWorkQueue(LONG_QUERIES);

  const requireSeriesWithin = async (limit: number, { devices, metrics }: Selection, advice: string) => {
    const count = await telemetry.countSeries(devices, metrics);
    if (count > limit) throw tooManySeries(count, limit, advice);
  };

  const unitsOf = async (devices: readonly string[]) => {
    const settingsOf = await loadMetricSettings(db, devices);
    return (series: Pick<StoredSeries, 'device' | 'metric' | 'kind' | 'unit'>) =>
      describeMetric(series, settingsOf).unit;
  };

  /** The unit that all devices of a combined series have; null if they differ. */
  const commonUnits = async (
    all: readonly CombinedSeries[],
    selected: readonly string[],
    slices: DeviceSlices,
  ) => {
    const units = new Map(all.map(({ metric }) => [metric, new Set<string | null>()]));
    const stored = all.map(({ metric, devices, units }) => ({
      metric,
      unitOf: new Map(devices.map((device, i) => [device, units[i] ?? null])),
    }));
    for await (const devices of slices(selected, VALUES_PER_QUERY)) {
      const unitOf = await unitsOf(devices);
      for (const { metric, unitOf: storedUnits } of stored)
        for (const device of devices) {
          const unit = storedUnits.get(device);
          if (unit !== undefined) units.get(metric)?.add(unitOf({ device, metric, kind: 'number', unit }));
        }
    }
    return (metric: string): string | null => {
      const [unit = null, ...others] = units.get(metric) ?? [];
      return others.length === 0 ? unit : null;
    };
  };

  const answerAcross = async (plan: ReadPlan, across: Across, slices: DeviceSlices) => {
    const { selection, aggregates } = plan;
    const { bucketMs, series } = await combineSeries(telemetry, { ...plan, across }, slices);
    const unitOf = across === 'count' ? () => null : await commonUnits(series, selection.devices, slices);
    const hasCount = across === 'count' || aggregates.includes('count');
    const pieces = series.map(
      (each) => () => combinedJson(each, { across, unit: unitOf(each.metric), hasCount }),
    );
    return answerJson({ ...selection, bucketMs }, pieces);
  };

  const answerSeries = async (
    { selection, externalIds }: ReadPlan,
    found: Awaited<ReturnType<typeof readTop>> | Awaited<ReturnType<TelemetryStore['read']>>,
  ) => {
    const unitOf = await unitsOf([...new Set(found.series.map(({ device }) => device))]);
    const pieces = found.series.map(
      (each) => () =>
        seriesJson(each, { externalId: externalIds.get(each.device) ?? each.device, unit: unitOf(each) }),
    );
    return answerJson(
      { ...selection, bucketMs: found.bucketMs },
      pieces,
      'top' in found ? { top: found.top } : {},
    );
  };

  return async (query: Query, { only, seriesLimit, invalidInput, isAwaited }: Request) => {
    requireOneWay(query, invalidInput);
    const nowMs = now();
    const range = readRange(query, nowMs, invalidInput);
    const resolution = readResolution(query, range, invalidInput);
    const { across, top, by = defaultRankRule, metrics } = query;
    const externalIds = await selectDevices(db, query.devices, { only, nowMs });
    const plan = {
      selection: { devices: [...externalIds.keys()], metrics, ...range },
      resolution,
      aggregates: readAggregates(query.aggregates),
      externalIds,
    };
    if (across === undefined && top === undefined) {
      await requireSeriesWithin(seriesLimit, plan.selection, adviceFor(seriesLimit));
      return answerSeries(plan, await telemetry.read(plan.selection, resolution, plan.aggregates));
    }
    await requireSeriesWithin(LIMITS.seriesToCombine, plan.selection, 'Choose fewer devices or metrics.');
    const slices = createDeviceSlices(isAwaited);
    return runLong(async () => {
      if (across !== undefined) return answerAcross(plan, across, slices);
      const found = await readTop(telemetry, { ...plan, top: top ?? 1, by }, slices);
      if (found.series.length > seriesLimit)
        throw tooManySeries(found.series.length, seriesLimit, 'Choose fewer metrics or a smaller top.');
      return answerSeries(plan, found);
    });
  };
};
