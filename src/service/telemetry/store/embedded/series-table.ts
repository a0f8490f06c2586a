import type { MetricKind } from '#contract/telemetry.ts';
import type {
  DatabaseSync,
  SQLOutputValue,
  StatementSync,
} from '../../../platform/storage/dialects/sqlite.ts';
import type { ScanPosition, SeriesCounts } from '../telemetry-store.ts';

export type SeriesRow = {
  readonly id: number;
  readonly device: string;
  readonly metric: string;
  readonly kind: MetricKind;
  readonly unit: string | null;
  readonly label: string | null;
};

/** Only kinds are ever written. Checked without a schema: zod would double the time that the thread takes to start. */
const kindOf = (text: SQLOutputValue | undefined): MetricKind =>
  text === 'number' || text === 'boolean' ? text : 'string';

const COLUMNS = 'id, device, metric, kind, unit, label';

/** Series in memory while many are processed one after another. */
const SERIES_PER_PAGE = 500;

/** The series by device and metric, and what is known of each. */
export class SeriesTable {
  readonly #statements: Record<
    | 'find'
    | 'kind'
    | 'insert'
    | 'delete'
    | 'select'
    | 'from'
    | 'after'
    | 'count'
    | 'countByDevice'
    | 'countMetrics'
    | 'byId',
    StatementSync
  >;

  constructor(db: DatabaseSync) {
    const named = `device IN (SELECT value FROM json_each(:devices))
      AND (:metrics IS NULL OR metric IN (SELECT value FROM json_each(:metrics)))`;
    const selected = `SELECT ${COLUMNS} FROM series WHERE ${named}`;
    const page = (operator: '>' | '>=') =>
      db.prepare(
        `${selected} AND (device, metric) ${operator} (:device, :metric) ORDER BY device, metric LIMIT ${SERIES_PER_PAGE}`,
      );
    this.#statements = {
      find: db.prepare(`SELECT ${COLUMNS} FROM series WHERE device = ? AND metric = ?`),
      insert: db.prepare('INSERT INTO series (device, metric, kind, unit) VALUES (?, ?, ?, ?)'),
      kind: db.prepare('SELECT kind FROM series WHERE id = ?'),
      delete: db.prepare('DELETE FROM series WHERE id = ?'),
      select: db.prepare(`${selected} ORDER BY device, metric`),
      from: page('>='),
      after: page('>'),
      count: db.prepare(`SELECT count(*) AS n FROM series WHERE ${named}`),
      countByDevice: db.prepare(`SELECT device, count(*) AS n FROM series WHERE ${named} GROUP BY device`),
      countMetrics: db.prepare(`SELECT count(DISTINCT metric) AS n FROM series WHERE ${named}`),
      byId: db.prepare(`SELECT ${COLUMNS} FROM series WHERE id > ? ORDER BY id LIMIT ${SERIES_PER_PAGE}`),
    };
  }

  find(device: string, metric: string): SeriesRow | undefined {
    const row = this.#statements.find.get(device, metric);
    return row === undefined ? undefined : seriesOf(row);
  }

  insert({ device, metric, kind, unit }: Omit<SeriesRow, 'id' | 'label'>): SeriesRow {
    const id = Number(this.#statements.insert.run(device, metric, kind, unit).lastInsertRowid);
    return { id, device, metric, kind, unit, label: null };
  }

  /** All series of a selection, in order of device and metric. The caller limits their number. */
  select(devices: readonly string[], metrics: readonly string[] | undefined): SeriesRow[] {
    return this.#statements.select.all(namesOf(devices, metrics)).map(seriesOf);
  }

  /** As `select`, from a position on and for any number of series: others may be inserted and deleted meanwhile. */
  *pages(
    devices: readonly string[],
    metrics: readonly string[] | undefined,
    from: Pick<ScanPosition, 'device' | 'metric'> = { device: '', metric: '' },
  ): Generator<SeriesRow> {
    let statement = this.#statements.from;
    let { device, metric } = from;
    for (;;) {
      const later = devices.filter((each) => each >= device);
      const page = statement.all({ ...namesOf(later, metrics), device, metric }).map(seriesOf);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < SERIES_PER_PAGE) return;
      ({ device, metric } = last);
      statement = this.#statements.after;
    }
  }

  /** The next series of all devices, by ID. */
  listAfter(id: number): SeriesRow[] {
    return this.#statements.byId.all(id).map(seriesOf);
  }

  count(devices: readonly string[], metrics: readonly string[] | undefined): number {
    return Number(this.#statements.count.get(namesOf(devices, metrics))?.['n']);
  }

  countByDevice(devices: readonly string[], metrics: readonly string[] | undefined): SeriesCounts {
    const names = namesOf(devices, metrics);
    const counts = new Map<unknown, number>();
    for (const { device, n } of this.#statements.countByDevice.all(names)) counts.set(device, Number(n));
    return {
      byDevice: Uint32Array.from(devices, (device) => counts.get(device) ?? 0),
      metrics: Number(this.#statements.countMetrics.get(names)?.['n']),
    };
  }

  /** The kind of a series; undefined where there is none. */
  kindOf(id: number): MetricKind | undefined {
    const row = this.#statements.kind.get(id);
    return row === undefined ? undefined : kindOf(row['kind']);
  }

  delete(id: number): void {
    this.#statements.delete.run(id);
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
