import { LISTED_OMITTED, parseRankRule, type Ranking, type RankRule } from '#contract/across.ts';
import type { Aggregate, TelemetryAnswer } from '#contract/telemetry.ts';
import { requireAwaited, type IsAwaited } from '../../platform/http/awaited.ts';
import type {
  BucketResolution,
  ReadResult,
  Resolution,
  Selection,
  StoredSeries,
  TelemetryStore,
} from '../store/telemetry-store.ts';
import { deviceSlices, type SeriesOfDevices } from './device-slices.ts';
import { tooManySeries } from './telemetry-query.ts';

const SERIES_PER_READ = 100;
/** Buckets that the increase of a counter is summed from. Within a bucket, at most one restart is counted. */
const INCREASE_BUCKETS = 100;

const aggregateOf: Record<Ranking, Aggregate> = {
  max: 'max',
  min: 'min',
  mean: 'avg',
  last: 'last',
  sum: 'sum',
  count: 'count',
  increase: 'increase',
};

type Ranked = { readonly device: string; readonly metric: string; readonly value: number };

type Query = {
  readonly selection: Selection;
  readonly resolution: Resolution;
  readonly aggregates: readonly Aggregate[];
  readonly top: number;
  readonly by: RankRule;
  readonly externalIds: ReadonlyMap<string, string>;
  readonly seriesOf: SeriesOfDevices;
  readonly isAwaited: IsAwaited;
  /** The largest number of series to read. */
  readonly seriesLimit: number;
};

export type TopResult = ReadResult & { readonly top: NonNullable<TelemetryAnswer['top']> };

/** One bucket for the whole range; several for an increase, which is summed. */
const rankResolution = ({ fromMs, toMs }: Selection, ranking: Ranking): BucketResolution =>
  ranking === 'increase'
    ? { bucketMs: Math.ceil((toMs - fromMs) / INCREASE_BUCKETS) }
    : { bucketMs: toMs - fromMs, starts: Float64Array.of(fromMs) };

/** The value that a series is ranked by; NaN without one. */
const rankValueOf = (series: StoredSeries, aggregate: Aggregate): number => {
  if (series.kind !== 'number') return Number.NaN;
  const values = Array.from(series[aggregate] ?? [], Number).filter((value) => !Number.isNaN(value));
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0);
};

/** The series with samples in the range, with their rank values. */
const rankedSeries = async (
  telemetry: TelemetryStore,
  { selection, by, seriesOf, isAwaited }: Query,
): Promise<Ranked[]> => {
  const { ranking } = parseRankRule(by);
  const aggregate = aggregateOf[ranking];
  const ranked: Ranked[] = [];
  const resolution = rankResolution(selection, ranking);
  for await (const devices of deviceSlices(seriesOf, SERIES_PER_READ, isAwaited)) {
    const { series } = await telemetry.read({ ...selection, devices }, resolution, [aggregate]);
    for (const each of series)
      if (each.ts.length > 0)
        ranked.push({ device: each.device, metric: each.metric, value: rankValueOf(each, aggregate) });
  }
  return ranked;
};

/** The order of a ranking. Series without a rank value come last, equal ones by external ID. */
const orderBy = (by: RankRule, externalIdOf: (device: string) => string) => {
  const direction = parseRankRule(by).isLowestFirst ? 1 : -1;
  return (a: Ranked, b: Ranked): number => {
    const [isLastA, isLastB] = [Number.isNaN(a.value), Number.isNaN(b.value)];
    if (isLastA !== isLastB) return isLastA ? 1 : -1;
    if (a.value !== b.value && !isLastA) return direction * (a.value < b.value ? -1 : 1);
    return externalIdOf(a.device) < externalIdOf(b.device) ? -1 : 1;
  };
};

/** Reads the series of each metric, as one read would: raw samples only if no series has more than `points`. */
const readChosen = async (
  telemetry: TelemetryStore,
  { selection, resolution, aggregates, isAwaited }: Query,
  chosen: ReadonlyMap<string, readonly string[]>,
): Promise<ReadResult> => {
  const readMetric = async (metric: string, resolution: Resolution) => {
    requireAwaited(isAwaited);
    const devices = chosen.get(metric) ?? [];
    const { bucketMs, series } = await telemetry.read(
      { ...selection, devices, metrics: [metric] },
      resolution,
      aggregates,
    );
    const byDevice = new Map(series.map((each) => [each.device, each]));
    return { metric, bucketMs, series: devices.flatMap((device) => byDevice.get(device) ?? []) };
  };
  const results = [];
  for (const metric of chosen.keys()) results.push(await readMetric(metric, resolution));
  const bucketMs =
    'bucketMs' in resolution
      ? resolution.bucketMs
      : (results.find((result) => result.bucketMs !== null)?.bucketMs ?? null);
  const series = [];
  for (const result of results) {
    const isRaw = result.bucketMs === null && bucketMs !== null;
    series.push(...(isRaw ? await readMetric(result.metric, { bucketMs }) : result).series);
  }
  return { bucketMs, series };
};

/**
 * Reads the first series of each metric by a ranking.
 * @throws HttpProblem `query-too-large` if these are more than `seriesLimit`
 */
export const readTop = async (telemetry: TelemetryStore, query: Query): Promise<TopResult> => {
  const { top, by, externalIds, seriesLimit } = query;
  const externalIdOf = (device: string) => externalIds.get(device) ?? device;
  const byMetric = [...Map.groupBy(await rankedSeries(telemetry, query), ({ metric }) => metric)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([metric, series]) => {
      const inOrder = series.toSorted(orderBy(by, externalIdOf));
      const shown = inOrder.filter(({ value }) => !Number.isNaN(value)).slice(0, top);
      // Series without a rank value are last.
      return { metric, shown, omitted: inOrder.slice(shown.length) };
    });
  const count = byMetric.reduce((sum, { shown }) => sum + shown.length, 0);
  if (count > seriesLimit) throw tooManySeries(count, seriesLimit, 'Choose fewer metrics or a smaller top.');
  const chosen = new Map(byMetric.map(({ metric, shown }) => [metric, shown.map(({ device }) => device)]));
  return {
    ...(await readChosen(telemetry, query, chosen)),
    top: byMetric.map(({ metric, shown, omitted }) => ({
      metric,
      total: shown.length + omitted.length,
      omitted: omitted.length,
      omittedDevices:
        omitted.length > LISTED_OMITTED
          ? []
          : omitted.map(({ device }) => ({ device, externalId: externalIdOf(device) })),
    })),
  };
};
