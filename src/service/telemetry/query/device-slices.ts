import { nextIteration } from '../../platform/event-loop.ts';
import { requireAwaited, type IsAwaited } from '../../platform/http/awaited.ts';
import type { Selection, TelemetryStore } from '../store/telemetry-store.ts';

/** Selected devices that have series, with the number of series of each. */
export type SeriesOfDevices = ReadonlyMap<string, number>;

/** Counts the series of a selection: by device, in its order, and of different metrics. */
export const countSeriesOfDevices = async (
  telemetry: TelemetryStore,
  { devices, metrics }: Pick<Selection, 'devices' | 'metrics'>,
): Promise<{ seriesOf: SeriesOfDevices; total: number; metrics: number }> => {
  const counts = await telemetry.countSeriesByDevice(devices, metrics);
  const seriesOf = new Map<string, number>();
  for (const [i, count] of counts.byDevice.entries()) if (count > 0) seriesOf.set(devices[i]!, count);
  return {
    seriesOf,
    total: counts.byDevice.reduce((sum, count) => sum + count, 0),
    metrics: counts.metrics,
  };
};

/**
 * Divides devices into slices of at most `maxSeries`, or of one device that has more. Other work runs between two slices.
 * @throws HttpProblem once the client is gone
 */
export async function* deviceSlices(
  seriesOf: SeriesOfDevices,
  maxSeries: number,
  isAwaited: IsAwaited,
): AsyncGenerator<readonly string[]> {
  for (const slice of slicesWithin(seriesOf, maxSeries)) {
    requireAwaited(isAwaited);
    yield slice;
    await nextIteration();
  }
}

function* slicesWithin(seriesOf: SeriesOfDevices, maxSeries: number): Generator<readonly string[]> {
  let slice: string[] = [];
  let total = 0;
  for (const [device, series] of seriesOf) {
    if (slice.length > 0 && total + series > maxSeries) {
      yield slice;
      [slice, total] = [[], 0];
    }
    slice.push(device);
    total += series;
  }
  if (slice.length > 0) yield slice;
}
