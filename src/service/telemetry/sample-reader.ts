import type { Aggregate, MetricKind } from '#contract/telemetry.ts';
import type { DatabaseSync, SQLOutputValue } from '../storage/sqlite.ts';
import { columnOf, findSeries, type SeriesRow } from './series-table.ts';
import type {
  ReadResult,
  Resolution,
  ScanPosition,
  ScanResult,
  Selection,
  StoredSeries,
} from './telemetry-store.ts';

type Range = { fromMs: number; toMs: number };
type Bucket = {
  start: number;
  firstTs: number;
  lastTs: number;
  count: number;
  avg: number;
  min: number;
  max: number;
  sum: number;
};

/** SQLite's integers end here; a range without an end is clamped to them. */
const clamp = (ms: number): number =>
  Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Math.ceil(ms)));

const headOf = ({ device, metric, kind, unit }: SeriesRow) => ({ device, metric, kind, unit });

const FIGURES = `min(ts) AS firstTs, max(ts) AS lastTs, count(*) AS count,
  avg(value) AS avg, min(value) AS min, max(value) AS max, sum(value) AS sum`;
const RANGE = 'series = :series AND ts >= CAST(:fromMs AS INTEGER) AND ts < CAST(:toMs AS INTEGER)';

/** Reads samples, raw or in buckets. */
export const createSampleReader = (db: DatabaseSync) => {
  const raw = db.prepare(`SELECT ts, value FROM sample WHERE ${RANGE} ORDER BY ts LIMIT :limit`);
  const countUpTo = db.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM sample WHERE ${RANGE} LIMIT :limit)`,
  );
  const at = db.prepare('SELECT value FROM sample WHERE series = ? AND ts = ?');
  // Bound numbers arrive as REAL: without the casts a bucket's start would be a fraction. The double modulo floors
  // times before the epoch too.
  const width = 'CAST(:bucketMs AS INTEGER)';
  const even = db.prepare(
    `SELECT ts - ((ts % ${width}) + ${width}) % ${width} AS start, ${FIGURES}
     FROM sample WHERE ${RANGE} GROUP BY start ORDER BY start`,
  );
  const whole = db.prepare(`SELECT ${FIGURES} FROM sample WHERE ${RANGE}`);

  const rawOf = (series: SeriesRow, { fromMs, toMs }: Range, limit: number): StoredSeries => {
    const rows = raw.all({ series: series.id, fromMs, toMs, limit });
    return {
      ...headOf(series),
      ts: Float64Array.from(rows, ({ ts }) => Number(ts)),
      value: columnOf(
        rows.map(({ value }) => value as SQLOutputValue),
        series.kind,
      ),
    };
  };

  const evenBuckets = (series: number, range: Range, bucketMs: number): Bucket[] =>
    even.all({ series, ...range, bucketMs }) as unknown as Bucket[];

  const calendarBuckets = (series: number, { fromMs, toMs }: Range, starts: Float64Array): Bucket[] =>
    Array.from(starts).flatMap((start, i) => {
      const range = { fromMs: Math.max(fromMs, start), toMs: Math.min(toMs, starts[i + 1] ?? Infinity) };
      if (range.fromMs >= range.toMs) return [];
      const figures = whole.get({ series, ...range }) as unknown as Omit<Bucket, 'start'>;
      return figures.count === 0 ? [] : [{ start, ...figures }];
    });

  const columnsOf = (
    series: SeriesRow,
    buckets: readonly Bucket[],
    aggregate: Aggregate,
  ): Partial<StoredSeries> => {
    const isNumber = series.kind === 'number';
    switch (aggregate) {
      case 'count':
        return { count: Float64Array.from(buckets, ({ count }) => count) };
      case 'last':
        return { last: valuesAt(series, buckets, 'lastTs', series.kind) };
      case 'first':
        return isNumber ? { first: valuesAt(series, buckets, 'firstTs', 'number') as Float64Array } : {};
      default:
        return isNumber ? { [aggregate]: Float64Array.from(buckets, (bucket) => bucket[aggregate]) } : {};
    }
  };

  const valuesAt = (
    series: SeriesRow,
    buckets: readonly Bucket[],
    time: 'firstTs' | 'lastTs',
    kind: MetricKind,
  ) =>
    columnOf(
      buckets.map((bucket) => at.get(series.id, bucket[time])?.['value'] as SQLOutputValue),
      kind,
    );

  return {
    read: (selection: Selection, resolution: Resolution, aggregates: readonly Aggregate[]): ReadResult => {
      const found = findSeries(db, selection.devices, selection.metrics);
      const range = { fromMs: clamp(selection.fromMs), toMs: clamp(selection.toMs) };
      if ('points' in resolution) {
        const { points } = resolution;
        const fits = found.every(
          ({ id }) => Number(countUpTo.get({ series: id, ...range, limit: points + 1 })?.['n']) <= points,
        );
        if (fits) return { bucketMs: null, series: found.map((series) => rawOf(series, range, points)) };
      }
      const bucketMs =
        'points' in resolution
          ? Math.max(1, Math.ceil((range.toMs - range.fromMs) / resolution.points))
          : resolution.bucketMs;
      const series = found.map((row): StoredSeries => {
        const buckets =
          'starts' in resolution
            ? calendarBuckets(row.id, range, resolution.starts)
            : evenBuckets(row.id, range, bucketMs);
        return Object.assign(
          { ...headOf(row), ts: Float64Array.from(buckets, ({ start }) => start) },
          ...aggregates.map((aggregate) => columnsOf(row, buckets, aggregate)),
        );
      });
      return { bucketMs, series };
    },

    scan: (selection: Selection, limit: number, after?: ScanPosition): ScanResult => {
      const range = { fromMs: clamp(selection.fromMs), toMs: clamp(selection.toMs) };
      const series: StoredSeries[] = [];
      let left = limit;
      for (const row of findSeries(db, selection.devices, selection.metrics)) {
        const order = after === undefined ? 1 : compare(row, after);
        if (order < 0) continue;
        const fromMs = order === 0 && after !== undefined ? after.ts + 1 : range.fromMs;
        const read = rawOf(row, { ...range, fromMs }, left);
        if (read.ts.length === 0) continue;
        series.push(read);
        left -= read.ts.length;
        const ts = read.ts.at(-1);
        if (left === 0 && ts !== undefined)
          return { series, next: { device: row.device, metric: row.metric, ts } };
      }
      return { series, next: null };
    },
  };
};

/** In the order in which SQLite sorts text: by its UTF-8 bytes. */
const compare = (series: SeriesRow, after: ScanPosition): number =>
  Buffer.compare(Buffer.from(series.device), Buffer.from(after.device)) ||
  Buffer.compare(Buffer.from(series.metric), Buffer.from(after.metric));
