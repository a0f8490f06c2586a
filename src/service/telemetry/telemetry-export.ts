import type { Aggregate, Value } from '#contract/telemetry.ts';
import { calendarStarts } from './query/calendar-buckets.ts';
import { csvRows } from './write/csv-rows.ts';
import type {
  ScanPosition,
  Selection,
  StoredMetric,
  StoredSeries,
  TelemetryStore,
} from './store/telemetry-store.ts';
import { createZoneClock } from './query/zone-clock.ts';

/** An export of raw samples or buckets. Calendar buckets are whole days in the time zone. */
export type Export = {
  readonly selection: Selection;
  readonly bucket: { readonly ms: number; readonly calendar: boolean } | undefined;
  readonly timeZone: string;
  readonly externalIds: ReadonlyMap<string, string>;
};

/** Cells in the order of `columns`; null for an empty cell. */
type Row = readonly (Value | null)[];

const SAMPLES_PER_PAGE = 2_000;
const BUCKETS_PER_PAGE = 1_000;
const FIGURES = ['avg', 'min', 'max', 'count'] as const satisfies readonly Aggregate[];

const columnsOf = ({ bucket }: Export): string[] => [
  'time',
  'device',
  'externalId',
  'metric',
  ...(bucket === undefined ? ['value'] : FIGURES),
];

/** A sum or mean that is too large for a number is omitted. */
const figureAt = (column: ArrayLike<number> | undefined, i: number): number | null => {
  const figure = column?.[i];
  return figure !== undefined && Number.isFinite(figure) ? figure : null;
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
      : FIGURES.map((figure) => figureAt(series[figure], i))),
  ]);
};

async function* rawPages(store: TelemetryStore, { selection }: Export): AsyncGenerator<StoredSeries[], void> {
  let after: ScanPosition | undefined;
  do {
    const { series, next } = await store.scan(selection, SAMPLES_PER_PAGE, after);
    yield series;
    after = next ?? undefined;
  } while (after !== undefined);
}

/** Splits a range into parts of at most BUCKETS_PER_PAGE whole buckets. */
function* stretchesOf(
  { ms, calendar }: NonNullable<Export['bucket']>,
  fromMs: number,
  toMs: number,
  timeZone: string,
): Generator<
  { fromMs: number; toMs: number; resolution: { bucketMs: number; starts?: Float64Array } },
  void
> {
  if (!calendar) {
    for (let from = fromMs; from < toMs;) {
      const to = Math.min(toMs, (Math.floor(from / ms) + BUCKETS_PER_PAGE) * ms);
      yield { fromMs: from, toMs: to, resolution: { bucketMs: ms } };
      from = to;
    }
    return;
  }
  const all = calendarStarts(ms, fromMs, toMs, timeZone);
  for (let i = 0; i < all.length; i += BUCKETS_PER_PAGE) {
    const starts = all.slice(i, i + BUCKETS_PER_PAGE);
    const to = all[i + BUCKETS_PER_PAGE] ?? toMs;
    yield { fromMs: Math.max(fromMs, starts[0] ?? fromMs), toMs: to, resolution: { bucketMs: ms, starts } };
  }
}

/** The series of an export, a device at a time, in order. */
async function* seriesOf(
  store: TelemetryStore,
  { devices, metrics }: Selection,
): AsyncGenerator<StoredMetric, void> {
  for (const device of devices.toSorted()) yield* await store.metrics([device], metrics);
}

async function* bucketPages(
  store: TelemetryStore,
  { selection, bucket, timeZone }: Export,
): AsyncGenerator<StoredSeries[], void> {
  if (bucket === undefined) return;
  for await (const { device, metric, firstTs, lastTs } of seriesOf(store, selection)) {
    // Skips parts without samples, so that a range of decades with few samples costs little.
    const [from, to] = [Math.max(selection.fromMs, firstTs), Math.min(selection.toMs, lastTs + 1)];
    const own = { devices: [device], metrics: [metric] };
    let nextSampleMs = from;
    for (const { fromMs, toMs, resolution } of stretchesOf(bucket, from, to, timeZone)) {
      if (toMs <= nextSampleMs) continue;
      const { series } = await store.read({ ...own, fromMs, toMs }, resolution, FIGURES);
      yield series;
      if (series.some(({ ts }) => ts.length > 0)) continue;
      const ahead = await store.scan({ ...own, fromMs: toMs, toMs: to }, 1);
      nextSampleMs = ahead.series[0]?.ts[0] ?? Infinity;
    }
  }
}

async function* rowPages(store: TelemetryStore, what: Export): AsyncGenerator<Row[], void> {
  const timeOf = createZoneClock(what.timeZone);
  for await (const page of what.bucket === undefined ? rawPages(store, what) : bucketPages(store, what)) {
    const rows = page.flatMap((series) => rowsOf(series, what, timeOf));
    if (rows.length > 0) yield rows;
  }
}

/** Exports CSV (RFC 4180). Text that a spreadsheet would execute gets a leading quote; numbers stay unchanged. */
export async function* exportCsv(store: TelemetryStore, what: Export): AsyncGenerator<string, void> {
  // Sent after the first read, so that a failing store results in a problem.
  let header = `${columnsOf(what).join(',')}\r\n`;
  for await (const rows of rowPages(store, what)) {
    yield `${header}${csvRows(rows)}\r\n`;
    header = '';
  }
  if (header !== '') yield header;
}

/** Exports NDJSON, one row per line. The last line marks the end and has the number of rows. */
export async function* exportNdjson(store: TelemetryStore, what: Export): AsyncGenerator<string, void> {
  const columns = columnsOf(what);
  let count = 0;
  for await (const rows of rowPages(store, what)) {
    count += rows.length;
    const lines = rows.map((row) =>
      JSON.stringify(Object.fromEntries(row.map((cell, i) => [columns[i], cell]))),
    );
    yield `${lines.join('\n')}\n`;
  }
  yield `${JSON.stringify({ end: true, rows: count })}\n`;
}
