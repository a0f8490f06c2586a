import { Temporal } from 'temporal-polyfill';
import type { Aggregate, Value } from '#contract/telemetry.ts';
import type { IsAwaited } from '../platform/http/awaited.ts';
import { calendarStarts } from './query/calendar-buckets.ts';
import { countSeriesOfDevices, deviceSlices } from './query/device-slices.ts';
import { csvRows } from './csv-rows.ts';
import type {
  BucketResolution,
  ScanPosition,
  Selection,
  StoredMetric,
  StoredSeries,
  TelemetryStore,
} from './store/telemetry-store.ts';

type Bucket = { readonly ms: number; readonly calendar: boolean };

/** An export of raw samples or buckets. Calendar buckets are whole days in the time zone. */
export type Export = {
  readonly selection: Selection;
  readonly bucket: Bucket | undefined;
  readonly timeZone: string;
  readonly externalIds: ReadonlyMap<string, string>;
  readonly isAwaited: IsAwaited;
};

/** Cells in the order of `columns`; null for an empty cell. */
type Row = readonly (Value | null)[];

/** Series that a read looks up. */
const SERIES_PER_READ = 200;
const SAMPLES_PER_PAGE = 2_000;
const BUCKETS_PER_PAGE = 1_000;
const AGGREGATES = ['avg', 'min', 'max', 'count'] as const satisfies readonly Aggregate[];

const columnsOf = ({ bucket }: Export): string[] => [
  'time',
  'device',
  'externalId',
  'metric',
  ...(bucket === undefined ? ['value'] : AGGREGATES),
];

/** A sum or mean that is too large for a number is omitted. */
const aggregateAt = (column: ArrayLike<number> | undefined, i: number): number | null => {
  const value = column?.[i];
  return value !== undefined && Number.isFinite(value) ? value : null;
};

const rowsOf = (
  series: StoredSeries,
  { externalIds, bucket }: Export,
  timeOf: (ts: number) => string,
): Row[] => {
  const { device, metric } = series;
  const name = [device, externalIds.get(device) ?? device, metric];
  return Array.from(series.ts, (ts, i) => [
    timeOf(ts),
    ...name,
    ...(bucket === undefined
      ? [series.value?.[i] ?? null]
      : AGGREGATES.map((name) => aggregateAt(series[name], i))),
  ]);
};

/** The devices of an export that have series, in the order of their IDs, some at a time. */
async function* slicesOf(
  store: TelemetryStore,
  { selection: { devices, metrics }, isAwaited }: Export,
): AsyncGenerator<readonly string[], void> {
  const { seriesOf } = await countSeriesOfDevices(store, { devices: devices.toSorted(), metrics });
  yield* deviceSlices(seriesOf, SERIES_PER_READ, isAwaited);
}

async function* rawPages(store: TelemetryStore, request: Export): AsyncGenerator<StoredSeries[], void> {
  for await (const devices of slicesOf(store, request)) {
    let after: ScanPosition | undefined;
    do {
      const { series, next } = await store.scan({ ...request.selection, devices }, SAMPLES_PER_PAGE, after);
      yield series;
      after = next ?? undefined;
    } while (after !== undefined);
  }
}

type Part = Pick<Selection, 'fromMs' | 'toMs'> & { readonly resolution: BucketResolution };

/** The first part of a range: at most BUCKETS_PER_PAGE whole buckets. */
const firstPart = ({ ms, calendar }: Bucket, fromMs: number, toMs: number, timeZone: string): Part => {
  if (!calendar) {
    const end = Math.min(toMs, (Math.floor(fromMs / ms) + BUCKETS_PER_PAGE) * ms);
    return { fromMs, toMs: end, resolution: { bucketMs: ms } };
  }
  const boundMs = Math.min(toMs, fromMs + BUCKETS_PER_PAGE * ms);
  const starts = calendarStarts(ms, fromMs, boundMs, timeZone);
  if (boundMs === toMs) return { fromMs, toMs, resolution: { bucketMs: ms, starts } };
  // The last bucket begins the next part.
  return { fromMs, toMs: starts.at(-1)!, resolution: { bucketMs: ms, starts: starts.slice(0, -1) } };
};

async function* metricsOf(store: TelemetryStore, request: Export): AsyncGenerator<StoredMetric, void> {
  for await (const devices of slicesOf(store, request))
    yield* await store.metrics(devices, request.selection.metrics);
}

async function* bucketPages(
  store: TelemetryStore,
  request: Export,
  bucket: Bucket,
): AsyncGenerator<StoredSeries[], void> {
  const { selection, timeZone } = request;
  for await (const { device, metric, firstTs, lastTs } of metricsOf(store, request)) {
    const own = { devices: [device], metrics: [metric] };
    const endMs = Math.min(selection.toMs, lastTs + 1);
    for (let fromMs = Math.max(selection.fromMs, firstTs); fromMs < endMs;) {
      const { resolution, ...range } = firstPart(bucket, fromMs, endMs, timeZone);
      const { series } = await store.read({ ...own, ...range }, resolution, AGGREGATES);
      yield series;
      fromMs = range.toMs;
      if (series.some(({ ts }) => ts.length > 0)) continue;
      // Skips parts without samples, so that a range of millennia with few samples costs little.
      const ahead = await store.scan({ ...own, fromMs, toMs: endMs }, 1);
      fromMs = ahead.series[0]?.ts[0] ?? Infinity;
    }
  }
}

/** Formats times in a time zone, with its offset or `Z` for UTC. Looks up the offset only when it may have changed. */
const createZoneClock = (timeZone: string): ((ts: number) => string) => {
  let [fromMs, toMs, offsetMs, offset] = [Infinity, -Infinity, 0, ''];
  return (ts) => {
    if (ts < fromMs || ts >= toMs) {
      const zoned = Temporal.Instant.fromEpochMilliseconds(ts).toZonedDateTimeISO(timeZone);
      const next = zoned.getTimeZoneTransition('next');
      [fromMs, toMs] = [ts, next?.epochMilliseconds ?? Infinity];
      offsetMs = zoned.offsetNanoseconds / 1_000_000;
      offset = zoned.timeZoneId === 'UTC' ? 'Z' : zoned.offset;
    }
    // Date formats the local time as if it were UTC.
    return `${new Date(ts + offsetMs).toISOString().slice(0, -1)}${offset}`;
  };
};

async function* rowPages(store: TelemetryStore, request: Export): AsyncGenerator<Row[], void> {
  const timeOf = createZoneClock(request.timeZone);
  for await (const page of request.bucket === undefined
    ? rawPages(store, request)
    : bucketPages(store, request, request.bucket)) {
    const rows = page.flatMap((series) => rowsOf(series, request, timeOf));
    if (rows.length > 0) yield rows;
  }
}

/** Exports CSV (RFC 4180). Text that a spreadsheet would execute gets a leading quote; numbers stay unchanged. */
export async function* exportCsv(store: TelemetryStore, request: Export): AsyncGenerator<string, void> {
  // Sent after the first read, so that a failing store results in a problem.
  let header = `${columnsOf(request).join(',')}\r\n`;
  for await (const rows of rowPages(store, request)) {
    yield `${header}${csvRows(rows)}\r\n`;
    header = '';
  }
  if (header !== '') yield header;
}

/** Exports NDJSON, one row per line. The last line marks the end and has the number of rows. */
export async function* exportNdjson(store: TelemetryStore, request: Export): AsyncGenerator<string, void> {
  const columns = columnsOf(request);
  let count = 0;
  for await (const rows of rowPages(store, request)) {
    count += rows.length;
    const lines = rows.map((row) =>
      JSON.stringify(Object.fromEntries(row.map((cell, i) => [columns[i], cell]))),
    );
    yield `${lines.join('\n')}\n`;
  }
  yield `${JSON.stringify({ end: true, rows: count })}\n`;
}
