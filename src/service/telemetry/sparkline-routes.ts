import { RATE_MS, rateUnit, usualRatePer } from '#contract/counter-rate.ts';
import { firstMetricOf } from '#contract/first-metric.ts';
import type { MetricType } from '#contract/metrics.ts';
import { SPARKLINE_BUCKET_MS, SPARKLINE_MS, sparklinesApi, type Sparkline } from '#contract/sparklines.ts';
import { isAwaitedBy, type IsAwaited } from '../platform/http/awaited.ts';
import { route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import { describeMetric } from './describe-metric.ts';
import { loadMetricSettings } from './metric-settings-store.ts';
import { numbersOf } from './query/answer-json.ts';
import { selectNamedDevices } from './query/device-selection.ts';
import { readLatest } from './query/read-latest.ts';
import type { StoredSeries, TelemetryStore } from './store/telemetry-store.ts';

type Dependencies = { db: Db; now: () => number; telemetry: TelemetryStore };

type Buckets = Pick<StoredSeries, 'ts' | 'avg' | 'rate'>;
type Columns = Pick<Sparkline, 'unit' | 'ts' | 'avg' | 'rate'>;

const meanColumns = ({ ts, avg = new Float64Array() }: Buckets, unit: string | null): Columns => ({
  unit,
  ts: [...ts],
  avg: numbersOf(avg),
});

/** The first bucket of a counter has no rate. */
const rateColumns = ({ ts, rate = new Float64Array() }: Buckets, unit: string | null): Columns => {
  const per = usualRatePer(unit);
  const rates = Float64Array.from(rate, (perSecond) => perSecond * (RATE_MS[per] / RATE_MS.s));
  return { unit: rateUnit(unit, per), ts: [...ts].slice(1), rate: numbersOf(rates.subarray(1)) };
};

export const sparklineRoutes = ({ db, now, telemetry }: Dependencies) => {
  /** The first metric of each device, if it is a number: all metrics of the device are read. */
  const firstMetrics = async (devices: readonly string[], isAwaited: IsAwaited) => {
    const [metrics, settingsOf] = await Promise.all([
      readLatest(telemetry, { devices, isAwaited }),
      loadMetricSettings(db, devices),
    ]);
    const described = metrics.map((metric) => ({ ...metric, ...describeMetric(metric, settingsOf) }));
    return [...Map.groupBy(described, ({ device }) => device).values()].flatMap((ofDevice) => {
      const first = firstMetricOf(ofDevice);
      return first?.kind === 'number' ? [first] : [];
    });
  };

  const readLines = async (
    metric: string,
    metricType: MetricType | null,
    units: ReadonlyMap<string, string | null>,
  ): Promise<Sparkline[]> => {
    const nowMs = now();
    const isCounter = metricType === 'counter';
    // The bucket in progress has no rate yet: its increase began with the last sample before it, at an unknown time.
    const toMs = isCounter ? nowMs - (nowMs % SPARKLINE_BUCKET_MS) : nowMs;
    const fromMs = toMs - SPARKLINE_MS - (isCounter ? SPARKLINE_BUCKET_MS : 0);
    const selection = { devices: [...units.keys()], metrics: [metric], fromMs, toMs };
    const resolution = { bucketMs: SPARKLINE_BUCKET_MS };
    const { series } = await telemetry.read(selection, resolution, [isCounter ? 'rate' : 'avg']);
    const columnsOf = isCounter ? rateColumns : meanColumns;
    return series.map((buckets) => ({
      device: buckets.device,
      metric,
      ...columnsOf(buckets, units.get(buckets.device) ?? null),
    }));
  };

  return [
    route(sparklinesApi.list, async ({ query, actor, request }) => {
      const externalIds = await selectNamedDevices(db, query.device, actor.devices);
      const firsts = await firstMetrics([...externalIds.keys()], isAwaitedBy(request));
      const data: Sparkline[] = [];
      // A read has the same metrics and aggregates for all of its devices.
      for (const [metric, ofMetric] of Map.groupBy(firsts, (first) => first.metric))
        for (const [metricType, ofType] of Map.groupBy(ofMetric, (first) => first.metricType)) {
          const units = new Map(ofType.map(({ device, unit }) => [device, unit]));
          const lines = await readLines(metric, metricType, units);
          data.push(...lines);
        }
      return { data };
    }),
  ];
};
