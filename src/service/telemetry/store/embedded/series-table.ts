import type { MetricKind, Value } from '#contract/telemetry.ts';
import type {
  DatabaseSync,
  SQLOutputValue,
  StatementSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import type { MetricDescription, ScanPosition, StoredMetric, ValueColumn } from '../telemetry-store.ts';

/** What a value is kept as: booleans are 0 and 1. */
export type Cell = number | string;

export type SeriesRow = {
  readonly id: number;
  readonly device: string;
  readonly metric: string;
  readonly kind: MetricKind;
  readonly unit: string | null;
  readonly label: string | null;
};

export const cellOf = (value: SQLOutputValue | undefined): Cell =>
  typeof value === 'string' ? value : Number(value);

const valueOf = (cell: Cell, kind: MetricKind): Value => (kind === 'boolean' ? cell === 1 : cell);

export const columnOf = (cells: readonly Cell[], kind: MetricKind): ValueColumn => {
  if (kind === 'number') return Float64Array.from(cells, Number);
  return kind === 'boolean' ? cells.map((cell) => cell === 1) : cells.map(String);
};

/** Only kinds are ever written. Checked without a schema: zod would double the time that the thread takes to start. */
const kindOf = (text: SQLOutputValue | undefined): MetricKind =>
  text === 'number' || text === 'boolean' ? text : 'string';

const COLUMNS = 'id, device, metric, kind, unit, label';

/** The series by device and metric, and what is known of each. */
export class SeriesTable {
  readonly #statements: Record<
    | 'find'
    | 'insert'
    | 'grow'
    | 'deleteEmpty'
    | 'describe'
    | 'select'
    | 'count'
    | 'total'
    | 'firstSample'
    | 'lastSample'
    | 'lastSampleUntil',
    StatementSync
  >;

  constructor(db: DatabaseSync) {
    const named = `device IN (SELECT value FROM json_each(:devices))
      AND (:metrics IS NULL OR metric IN (SELECT value FROM json_each(:metrics)))`;
    const samples = 'SELECT ts, value FROM sample WHERE series = ?';
    this.#statements = {
      find: db.prepare(`SELECT ${COLUMNS} FROM series WHERE device = ? AND metric = ?`),
      insert: db.prepare(`INSERT INTO series (device, metric, kind) VALUES (?, ?, ?) RETURNING ${COLUMNS}`),
      grow: db.prepare('UPDATE series SET samples = samples + ? WHERE id = ?'),
      deleteEmpty: db.prepare('DELETE FROM series WHERE id = ? AND samples = 0'),
      describe: db.prepare('UPDATE series SET unit = ?, label = ? WHERE id = ?'),
      select: db.prepare(`SELECT ${COLUMNS} FROM series WHERE ${named}
        AND (device, metric) >= (:device, :metric) ORDER BY device, metric`),
      count: db.prepare(`SELECT count(*) AS n FROM series WHERE ${named}`),
      total: db.prepare('SELECT coalesce(sum(samples), 0) AS n FROM series'),
      firstSample: db.prepare(`${samples} ORDER BY ts LIMIT 1`),
      lastSample: db.prepare(`${samples} ORDER BY ts DESC LIMIT 1`),
      lastSampleUntil: db.prepare(`${samples} AND ts <= ? ORDER BY ts DESC LIMIT 1`),
    };
  }

  find(device: string, metric: string): SeriesRow | undefined {
    const row = this.#statements.find.get(device, metric);
    return row === undefined ? undefined : seriesOf(row);
  }

  insert(device: string, metric: string, kind: MetricKind): SeriesRow {
    const row = this.#statements.insert.get(device, metric, kind);
    if (row === undefined) throw new Error(`The series ${device} ${metric} was not inserted.`);
    return seriesOf(row);
  }

  /** In order of device and metric, from a position on. */
  select(
    devices: readonly string[],
    metrics: readonly string[] | undefined,
    { device, metric }: Pick<ScanPosition, 'device' | 'metric'> = { device: '', metric: '' },
  ): SeriesRow[] {
    return this.#statements.select.all({ ...namesOf(devices, metrics), device, metric }).map(seriesOf);
  }

  count(devices: readonly string[], metrics: readonly string[] | undefined): number {
    return Number(this.#statements.count.get(namesOf(devices, metrics))?.['n']);
  }

  /** Samples of all series. */
  total(): number {
    return Number(this.#statements.total.get()?.['n']);
  }

  /** Counts samples that came, or (below 0) went. A series that has none left goes as well. */
  grow(id: number, samples: number): void {
    this.#statements.grow.run(samples, id);
    if (samples < 0) this.#statements.deleteEmpty.run(id);
  }

  describe(series: SeriesRow, change: MetricDescription): SeriesRow {
    const described = { ...series, ...change };
    this.#statements.describe.run(described.unit, described.label, series.id);
    return described;
  }

  /** With its first time, its last time up to `untilMs`, and the value at that time: two or three index reads. */
  metricOf({ id, ...series }: SeriesRow, untilMs = Infinity): StoredMetric {
    const [first, newest] = [this.#statements.firstSample.get(id), this.#statements.lastSample.get(id)];
    const isAhead = Number(newest?.['ts']) > untilMs;
    const last = (isAhead ? this.#statements.lastSampleUntil.get(id, untilMs) : undefined) ?? newest;
    return {
      ...series,
      firstTs: Number(first?.['ts']),
      lastTs: Number(last?.['ts']),
      value: valueOf(cellOf(last?.['value']), series.kind),
    };
  }
}

const namesOf = (devices: readonly string[], metrics: readonly string[] | undefined) => ({
  devices: JSON.stringify(devices),
  metrics: metrics === undefined ? null : JSON.stringify(metrics),
});

const textOrNull = (value: SQLOutputValue | undefined): string | null =>
  typeof value === 'string' ? value : null;

const seriesOf = (row: Record<string, SQLOutputValue>): SeriesRow => ({
  id: Number(row['id']),
  device: String(row['device']),
  metric: String(row['metric']),
  kind: kindOf(row['kind']),
  unit: textOrNull(row['unit']),
  label: textOrNull(row['label']),
});
