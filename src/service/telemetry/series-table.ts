import type { MetricKind, Value } from '#contract/telemetry.ts';
import type { DatabaseSync, SQLOutputValue } from '../storage/sqlite.ts';
import type { MetricDescription, StoredMetric, ValueColumn } from './telemetry-store.ts';

export type SeriesRow = {
  id: number;
  device: string;
  metric: string;
  kind: MetricKind;
  unit: string | null;
  label: string | null;
};

export const valueOf = (cell: SQLOutputValue | undefined, kind: MetricKind): Value => {
  if (kind === 'number') return Number(cell);
  return kind === 'boolean' ? cell === 1 : String(cell);
};

export const columnOf = (cells: readonly SQLOutputValue[], kind: MetricKind): ValueColumn => {
  if (kind === 'number') return Float64Array.from(cells, Number);
  return kind === 'boolean' ? cells.map((cell) => cell === 1) : cells.map(String);
};

/** The series of `devices`, of these metrics or all, in order of device and metric. */
export const findSeries = (
  db: DatabaseSync,
  devices: readonly string[],
  metrics?: readonly string[],
): SeriesRow[] =>
  db
    .prepare(
      `SELECT id, device, metric, kind, unit, label FROM series
       WHERE device IN (SELECT value FROM json_each(:devices))
         AND (:metrics IS NULL OR metric IN (SELECT value FROM json_each(:metrics)))
       ORDER BY device, metric`,
    )
    .all({
      devices: JSON.stringify(devices),
      metrics: metrics === undefined ? null : JSON.stringify(metrics),
    }) as unknown as SeriesRow[];

export const describeSeries = (
  db: DatabaseSync,
  device: string,
  metric: string,
  change: MetricDescription,
): void => {
  for (const column of ['unit', 'label'] as const)
    if (change[column] !== undefined)
      db.prepare(`UPDATE series SET ${column} = ? WHERE device = ? AND metric = ?`).run(
        change[column],
        device,
        metric,
      );
};

/** With its first time, last time and latest value; undefined where it holds no sample. */
export const metricOf = (db: DatabaseSync, { id, ...series }: SeriesRow): StoredMetric | undefined => {
  const first = db.prepare('SELECT ts FROM sample WHERE series = ? ORDER BY ts LIMIT 1').get(id);
  const last = db.prepare('SELECT ts, value FROM sample WHERE series = ? ORDER BY ts DESC LIMIT 1').get(id);
  if (first === undefined || last === undefined) return undefined;
  return {
    ...series,
    firstTs: Number(first['ts']),
    lastTs: Number(last['ts']),
    value: valueOf(last['value'], series.kind),
  };
};
