import { LIMITS } from '#contract/sample-rules.ts';
import type { IsAwaited } from '../../platform/http/awaited.ts';
import type { Selection, StoredMetric, TelemetryStore } from '../store/telemetry-store.ts';
import { countSeriesOfDevices, deviceSlices } from './device-slices.ts';
import { tooManySeries } from './telemetry-query.ts';

const SERIES_PER_READ = 200;

type Query = Pick<Selection, 'devices' | 'metrics'> & {
  readonly untilMs?: number;
  readonly isAwaited: IsAwaited;
};

/**
 * Reads every metric of devices with its latest value, as `TelemetryStore.metrics`, the devices slice by slice.
 * @throws HttpProblem `query-too-large`, and once the client is gone
 */
export const readLatest = async (
  telemetry: TelemetryStore,
  { devices, metrics, untilMs, isAwaited }: Query,
): Promise<StoredMetric[]> => {
  const selection = { devices: devices.toSorted(), metrics };
  const { seriesOf, total } = await countSeriesOfDevices(telemetry, selection);
  if (total > LIMITS.seriesPerLatest)
    throw tooManySeries(total, LIMITS.seriesPerLatest, 'Choose fewer devices or metrics.');
  const found: StoredMetric[] = [];
  for await (const slice of deviceSlices(seriesOf, SERIES_PER_READ, isAwaited))
    found.push(...(await telemetry.metrics(slice, metrics, untilMs)));
  return found;
};
