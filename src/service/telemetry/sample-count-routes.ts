import { sampleCountsApi } from '#contract/sample-counts.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { isAwaitedBy } from '../platform/http/awaited.ts';
import { route, type Route } from '../platform/http/route.ts';
import type { Db } from '../platform/storage/database.ts';
import { selectDevices } from './query/device-selection.ts';
import { countSeriesOfDevices, deviceSlices } from './query/device-slices.ts';
import { tooManySeries } from './query/telemetry-query.ts';
import type { TelemetryStore } from './store/telemetry-store.ts';

const SERIES_PER_READ = 200;
/** Every sample is in one of few buckets, whose counts come from the statistics of whole chunks. */
const EVER = { fromMs: -Infinity, toMs: Infinity };
const CENTURY_MS = 36_525 * 86_400_000;

type Dependencies = { db: Db; now: () => number; telemetry: TelemetryStore };

export const sampleCountRoutes = ({ db, now, telemetry }: Dependencies): Route[] => [
  route(sampleCountsApi.count, async ({ body, actor, request }) => {
    const { devices: names, filter, except = [] } = body;
    const selected = await selectDevices(db, { names, filter }, { only: actor.devices, nowMs: now() });
    for (const id of except) selected.delete(id);
    const { seriesOf, total } = await countSeriesOfDevices(telemetry, { devices: [...selected.keys()] });
    if (total > LIMITS.seriesPerLatest)
      throw tooManySeries(total, LIMITS.seriesPerLatest, 'Select fewer devices.');
    let samples = 0;
    for await (const devices of deviceSlices(seriesOf, SERIES_PER_READ, isAwaitedBy(request))) {
      const { series } = await telemetry.read({ devices, ...EVER }, { bucketMs: CENTURY_MS }, ['count']);
      for (const { count = [] } of series) for (const each of count) samples += each;
    }
    return { devices: selected.size, series: total, samples };
  }),
];
