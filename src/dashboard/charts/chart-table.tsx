import { useId } from 'react';
import type { LiveSource } from './live/live-window.ts';
import type { TimeSpan } from './series/time-span.ts';
import { formatNumber } from '../ui/format/format-value.ts';
import {
  type ChartSeries,
  isNumberSeries,
  type NumberSeries,
  type StateSeries,
  stateText,
} from './series/series.ts';
import { formatMoment, formatSpan } from './axes/format-moment.ts';
import type { ChartTime } from './chart-time.ts';
import { columnsOf } from './series/columns.ts';
import { bucketStart, valueRowsOf } from './tracks/value-rows.ts';
import { cx } from '../ui/browser/cx.ts';
import { useIsNarrow } from '../ui/browser/media-query.ts';
import { useHeldValue } from '../ui/browser/steady-order.ts';

interface ChartTableProps {
  series: readonly ChartSeries[];
  /** Live samples are those as of the last render. */
  time: ChartTime;
  label: string;
  /** The number of rows, latest first. The table says how many are left out; the export has all. */
  limit?: number;
}

const DEFAULT_LIMIT = 300;

/** The data of a chart as a table. A live table keeps its rows while the pointer or the focus is on them. */
export function ChartTable({ series, time, label, limit = DEFAULT_LIMIT }: ChartTableProps) {
  const { timeZone, live } = time;
  const captionId = useId();
  const { held, holders } = useHeldValue(time.toMs);
  const toMs = live === undefined ? time.toMs : held;
  const span = { fromMs: time.fromMs - (time.toMs - toMs), toMs };
  const { rows, total, bucketMs, hasRanges } = chartTableRows(series, span, limit, live);
  const hasFractions = bucketMs < 1_000 && rows.some(({ ts }) => ts % 1_000 !== 0);
  // Buckets of 86.5 s begin within a minute.
  const widthMs = bucketMs % 60_000 === 0 ? bucketMs : 1_000;
  const resolutionMs = hasFractions ? 1 : Math.max(1_000, Number.isFinite(bucketMs) ? widthMs : 0);
  const isCut = total > rows.length;
  const isNarrow = useIsNarrow();
  const timeText = (ts: number) => formatMoment(ts, resolutionMs, timeZone);
  const Body = isNarrow && series.length > 1 ? GroupedRows : ColumnRows;
  return (
    <>
      {/* Not a caption, which would be as wide as the table. */}
      <p id={captionId} className="pb-2 text-sm text-muted">
        {label}
        {isCut
          ? `: latest ${formatNumber(rows.length)} of ${formatNumber(total)} rows. The export contains all rows.`
          : null}
        {hasRanges && total > 0
          ? `${isCut ? '' : '.'} Each row shows the mean of ${formatSpan(bucketMs)}, with the lowest and highest value in brackets.`
          : null}
      </p>
      <div {...holders} className="overflow-x-auto">
        <table aria-labelledby={captionId} className="tabular w-full text-sm">
          <Body series={series} rows={rows} timeText={timeText} />
        </table>
      </div>
      {total === 0 ? <p className="py-2 text-sm text-muted">No data in this range.</p> : null}
    </>
  );
}

interface RowsProps {
  series: readonly ChartSeries[];
  rows: readonly TableRow[];
  timeText: (ts: number) => string;
}

const nameOf = ({ label, unit }: ChartSeries) => (unit === null ? label : `${label} (${unit})`);

/** The times stay in view while many columns scroll. */
const timeClass = 'sticky left-0 bg-surface pr-4 text-left';

/** A column for each series, wide enough for most words of its name. */
const ColumnRows = ({ series, rows, timeText }: RowsProps) => (
  <>
    <thead>
      <tr className="border-b border-hairline align-bottom text-muted">
        <th scope="col" className={cx('py-1.5 font-medium', timeClass)}>
          Time
        </th>
        {series.map((each) => (
          <th
            key={each.id}
            scope="col"
            className={cx(
              'py-1.5 text-right font-medium wrap-anywhere md:px-4',
              series.length > 1 && 'min-w-34',
            )}
          >
            {nameOf(each)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map(({ ts, cells }, place) => (
        // By place: a live table changes its texts instead of moving its rows.
        <tr key={place} className="border-b border-hairline">
          <th scope="row" className={cx('py-1 font-normal whitespace-nowrap', timeClass)}>
            {timeText(ts)}
          </th>
          {series.map(({ id }, index) => (
            <td
              key={id}
              className={cx(
                'py-1 text-right wrap-anywhere md:px-4',
                series.length > 1 && 'whitespace-nowrap',
              )}
            >
              <CellText cell={cells[index]} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </>
);

/** On a phone: below each time, a row for each series with a value. */
const GroupedRows = ({ series, rows, timeText }: RowsProps) => (
  <>
    {rows.map(({ ts, cells }, place) => (
      <tbody key={place} className="border-b border-hairline">
        <tr>
          <th scope="rowgroup" colSpan={2} className="pt-1.5 text-left font-normal text-muted">
            {timeText(ts)}
          </th>
        </tr>
        {series.map((each, index) =>
          cells[index] === undefined ? null : (
            <tr key={each.id} className="align-top">
              <th scope="row" className="py-0.5 pr-4 text-left font-normal wrap-anywhere">
                {nameOf(each)}
              </th>
              <td className="py-0.5 text-right wrap-anywhere">
                <CellText cell={cells[index]} />
              </td>
            </tr>
          ),
        )}
      </tbody>
    ))}
  </>
);

/** A line can break between the value and its range, but not within the range. */
const CellText = ({ cell }: { cell: CellValue | undefined }) =>
  cell === undefined ? (
    '–'
  ) : cell.range === undefined ? (
    cell.value
  ) : (
    <>
      {cell.value} <span className="whitespace-nowrap">({cell.range})</span>
    </>
  );

interface CellValue {
  value: string;
  /** The lowest and highest value. */
  range?: string;
}

interface TableRow {
  /** Epoch ms; the start of a bucket. */
  ts: number;
  /** One per series; undefined without a value at that time. */
  cells: readonly (CellValue | undefined)[];
}

interface TableRows {
  /** The latest first, limited. */
  rows: readonly TableRow[];
  total: number;
  /** The narrowest bucket; 0 for raw samples. */
  bucketMs: number;
  /** Whether the lowest and highest value of each bucket are known. */
  hasRanges: boolean;
}

/** One row for each time at which a series has a value. */
function chartTableRows(
  series: readonly ChartSeries[],
  span: TimeSpan,
  limit: number,
  live?: LiveSource,
): TableRows {
  const columns = series.map((each) =>
    isNumberSeries(each) ? numberCells(each, span, live) : stateCells(each, span, live),
  );
  const times = [...new Set(columns.flatMap((cells) => [...cells.keys()]))].toSorted((a, b) => b - a);
  const rows = times.slice(0, limit).map((ts) => ({ ts, cells: columns.map((cells) => cells.get(ts)?.()) }));
  const buckets = series.map((each) =>
    isNumberSeries(each) ? columnsOf(each).bucketMs : (each.columns.bucketMs ?? 0),
  );
  const bucketMs = Math.min(Infinity, ...buckets);
  const hasRanges =
    bucketMs > 0 && series.some((each) => isNumberSeries(each) && columnsOf(each).low !== null);
  return { rows, total: times.length, bucketMs, hasRanges };
}

/** Texts are formatted only for shown rows. */
type Cells = Map<number, () => CellValue>;

function numberCells(series: NumberSeries, span: TimeSpan, live: LiveSource | undefined): Cells {
  const cells: Cells = new Map();
  const format = (number: number) => formatNumber(number, undefined, series.decimals ?? undefined);
  for (const { ts, value, low, high } of valueRowsOf(series, live?.numbers(series.id), span))
    cells.set(ts, () => ({
      value: format(value),
      ...(low < high && { range: `${format(low)}–${format(high)}` }),
    }));
  return cells;
}

function stateCells({ id, columns }: StateSeries, span: TimeSpan, live: LiveSource | undefined): Cells {
  const cells: Cells = new Map();
  const isInside = (ts: number) => ts + (columns.bucketMs ?? 0) >= span.fromMs && ts <= span.toMs;
  for (const [row, value] of columns.value.entries()) {
    const ts = columns.ts[row]!;
    if (isInside(ts)) cells.set(ts, () => ({ value: stateText(value) }));
  }
  // Live states are stored as runs, so their changes are listed.
  for (const run of live?.states(id)?.runs ?? []) {
    if (isInside(run.from))
      cells.set(bucketStart(run.from, columns.bucketMs ?? 0), () => ({ value: stateText(run.value) }));
  }
  return cells;
}
