import { LIMITS } from '#contract/sample-rules.ts';
import type { StoredMetric, TelemetryStore } from '../store/telemetry-store.ts';
import { tooManySeries } from './telemetry-query.ts';

/** As `TelemetryStore.metrics`, for several devices. @throws HttpProblem `query-too-large` */
export const readLatest = async (
  telemetry: Pick<TelemetryStore, 'countSeries' | 'metrics'>,
  ...[devices, metrics, untilMs]: Parameters<TelemetryStore['metrics']>
): Promise<StoredMetric[]> => {
  const count = await telemetry.countSeries(devices, metrics);
  if (count > LIMITS.seriesPerLatest)
    throw tooManySeries(count, LIMITS.seriesPerLatest, 'Choose fewer devices or metrics.');
  return telemetry.metrics(devices, metrics, untilMs);
};
