import { firstMetricOf } from '#contract/first-metric.ts';
import { SPARKLINE_BUCKET_MS, SPARKLINE_MS, sparklinesApi } from '#contract/sparklines.ts';
import { isAwaitedBy, type IsAwaited } from '../platform/http/awaited.ts';
import { route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import { describeMetric } from './describe-metric.ts';
import { loadMetricSettings } from './metric-settings-store.ts';
import { numbersOf } from './query/answer-json.ts';
import { selectNamedDevices } from './query/device-selection.ts';
import { readLatest } from './query/read-latest.ts';
import type { TelemetryStore } from './store/telemetry-store.ts';

type Dependencies = { db: Db; now: () => number; telemetry: TelemetryStore };

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

  return [
    route(sparklinesApi.list, async ({ query, actor, request }) => {
      const externalIds = await selectNamedDevices(db, query.device, actor.devices);
      const firsts = await firstMetrics([...externalIds.keys()], isAwaitedBy(request));
      const toMs = now();
      const range = { fromMs: toMs - SPARKLINE_MS, toMs };
      const data = [];
      // A read has the same metrics for all of its devices.
      for (const [metric, alike] of Map.groupBy(firsts, (first) => first.metric)) {
        const units = new Map(alike.map(({ device, unit }) => [device, unit]));
        const selection = { devices: [...units.keys()], metrics: [metric], ...range };
        const { series } = await telemetry.read(selection, { bucketMs: SPARKLINE_BUCKET_MS }, ['avg']);
        for (const { device, ts, avg = [] } of series)
          data.push({ device, metric, unit: units.get(device) ?? null, ts: [...ts], avg: numbersOf(avg) });
      }
      return { data };
    }),
  ];
};
