import { nextIteration } from '../../platform/event-loop.ts';
import { requireAwaited, type IsAwaited } from '../../platform/http/awaited.ts';

/** Selected devices that have series, with the number of series of each. */
export type SeriesOfDevices = ReadonlyMap<string, number>;

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
