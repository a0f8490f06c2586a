import { defaultRankRule, type Across, type RankRule } from '#contract/across.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import type { Aggregate } from '#contract/telemetry.ts';
import type { Reader } from '../devices/device-conditions.ts';
import { createWorkQueue, type QueuedRead } from '../platform/http/work-queue.ts';
import type { Db } from '../platform/storage/database.ts';
import { loadCommonUnits } from './common-units.ts';
import { describeMetric } from './describe-metric.ts';
import { loadMetricSettings } from './metric-settings-store.ts';
import { answerJson, combinedJson, seriesJson } from './query/answer-json.ts';
import { combineSeries } from './query/combine-series.ts';
import { selectDevices, type DeviceSelection } from './query/device-selection.ts';
import { countSeriesOfDevices, type SeriesOfDevices } from './query/device-slices.ts';
import { readTop, type TopResult } from './query/rank-series.ts';
import {
  readAggregates,
  readRange,
  readResolution,
  tooManySeries,
  type InvalidInput,
  type RangeText,
  type ResolutionText,
} from './query/telemetry-query.ts';
import type { ReadResult, Resolution, Selection, TelemetryStore } from './store/telemetry-store.ts';

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

/** `seriesLimit`: the largest number of series in the response. */
type Request = Omit<Reader, 'nowMs'> &
  QueuedRead & {
    readonly seriesLimit: number;
    readonly invalidInput: InvalidInput;
  };

type Dependencies = { db: Db; now: () => number; telemetry: TelemetryStore };

/** A query whose input is valid. */
type ReadPlan = {
  readonly selection: Selection;
  readonly resolution: Resolution;
  readonly aggregates: readonly Aggregate[];
  readonly externalIds: ReadonlyMap<string, string>;
};

/** A plan that reads the series of many devices, slice by slice. */
type LongPlan = ReadPlan & {
  readonly seriesOf: SeriesOfDevices;
  readonly metrics: number;
} & Pick<Request, 'seriesLimit' | 'isAwaited'>;

const LONG_QUERIES = { maxRunning: 2, maxWaiting: 30, tasks: 'queries over many devices' };

const requireAcrossOrTop = ({ across, top, by }: Query, invalidInput: InvalidInput): void => {
  if (across !== undefined && top !== undefined)
    throw invalidInput('top', 'Use either across or top, not both.');
  if (by !== undefined && top === undefined) throw invalidInput('by', 'Use by only together with top.');
};

const adviceFor = (limit: number): string =>
  limit < LIMITS.seriesPerQuery
    ? `Choose fewer devices or metrics, combine the devices with across, or use POST /v1/telemetry/query (at most ${LIMITS.seriesPerQuery} series).`
    : 'Choose fewer devices or metrics, combine the devices with across, or choose some with top.';

/** Answers queries as pieces of JSON. Cheap checks run first. */
export const createQueryAnswers = ({ db, now, telemetry }: Dependencies) => {
  const runLong = createWorkQueue(LONG_QUERIES);

  const planLong = async (
    plan: ReadPlan,
    { seriesLimit, isAwaited }: Pick<Request, 'seriesLimit' | 'isAwaited'>,
  ): Promise<LongPlan> => {
    const { seriesOf, total, metrics } = await countSeriesOfDevices(telemetry, plan.selection);
    if (total > LIMITS.seriesToCombine)
      throw tooManySeries(total, LIMITS.seriesToCombine, 'Choose fewer devices or metrics.');
    return { ...plan, seriesOf, metrics, seriesLimit, isAwaited };
  };

  const answerAcross = async (plan: LongPlan, across: Across) => {
    const { selection, aggregates, metrics, seriesLimit, isAwaited } = plan;
    if (metrics > seriesLimit)
      throw tooManySeries(metrics, seriesLimit, 'Choose fewer metrics: each is one combined series.');
    const { bucketMs, series } = await combineSeries(telemetry, { ...plan, across });
    const unitOf = across === 'count' ? () => null : await loadCommonUnits(db, series, isAwaited);
    const hasCount = across === 'count' || aggregates.includes('count');
    const pieces = series.map(
      (each) => () => combinedJson(each, { across, unit: unitOf(each.metric), hasCount }),
    );
    return answerJson({ ...selection, bucketMs }, pieces);
  };

  const answerSeries = async ({ selection, externalIds }: ReadPlan, found: ReadResult | TopResult) => {
    const settingsOf = await loadMetricSettings(db, [...new Set(found.series.map(({ device }) => device))]);
    const pieces = found.series.map(
      (each) => () =>
        seriesJson(each, {
          externalId: externalIds.get(each.device) ?? each.device,
          unit: describeMetric(each, settingsOf).unit,
        }),
    );
    return answerJson(
      { ...selection, bucketMs: found.bucketMs },
      pieces,
      'top' in found ? { top: found.top } : {},
    );
  };

  const answerEach = async (plan: ReadPlan, seriesLimit: number) => {
    const { selection, resolution, aggregates } = plan;
    const count = await telemetry.countSeries(selection.devices, selection.metrics);
    if (count > seriesLimit) throw tooManySeries(count, seriesLimit, adviceFor(seriesLimit));
    return answerSeries(plan, await telemetry.read(selection, resolution, aggregates));
  };

  return async (query: Query, request: Request) => {
    const { only, seriesLimit, invalidInput } = request;
    requireAcrossOrTop(query, invalidInput);
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
    if (across !== undefined) {
      const long = await planLong(plan, request);
      return runLong(() => answerAcross(long, across), request.group);
    }
    if (top !== undefined) {
      const long = await planLong(plan, request);
      const answerTop = async () => answerSeries(long, await readTop(telemetry, { ...long, top, by }));
      return runLong(answerTop, request.group);
    }
    return answerEach(plan, seriesLimit);
  };
};
