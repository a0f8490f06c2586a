import type { LiveSource } from './live/live-window.ts';
import { formatNumber } from './axes/number-format.ts';
import type { ChartSeries } from './series/series.ts';
import { chartTableRows } from './chart-table-rows.ts';
import { formatMoment } from './axes/time-format.ts';
import type { TimeZone } from './axes/wall-clock.ts';

interface ChartTableProps {
  series: readonly ChartSeries[];
  /** Epoch ms. */
  fromMs: number;
  toMs: number;
  timeZone: TimeZone;
  label: string;
  /** Its samples are in the table as of the last render. */
  live?: LiveSource;
  /** Rows shown; the latest. What is left out is said, and in the export. */
  limit?: number;
}

const DEFAULT_LIMIT = 300;

/** What a chart shows, to be read. */
export function ChartTable({
  series,
  fromMs,
  toMs,
  timeZone,
  label,
  live,
  limit = DEFAULT_LIMIT,
}: ChartTableProps) {
  const { rows, total, bucketMs } = chartTableRows(series, { fromMs, toMs }, limit, live);
  const hasFractions = rows.some(({ ts }) => ts % 1_000 !== 0);
  const resolutionMs = hasFractions ? 1 : Math.max(1_000, Number.isFinite(bucketMs) ? bucketMs : 0);
  const isCut = total > rows.length;
  return (
    <div className="overflow-x-auto">
      <table className="tabular w-full text-sm">
        <caption className="pb-2 text-left text-muted">
          {label}
          {isCut
            ? `: latest ${formatNumber(rows.length)} of ${formatNumber(total)} rows. The export contains all rows.`
            : null}
          {bucketMs > 0 && total > 0
            ? `${isCut ? '' : '.'} Each row shows the mean, with the lowest and highest value in brackets.`
            : null}
        </caption>
        <thead>
          <tr className="border-b border-hairline text-left text-muted">
            <th scope="col" className="py-1.5 pr-4 font-medium">
              Time
            </th>
            {series.map(({ id, label: name, unit }) => (
              <th key={id} scope="col" className="px-4 py-1.5 text-right font-medium">
                {unit === null ? name : `${name} (${unit})`}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ ts, cells }) => (
            <tr key={ts} className="border-b border-hairline">
              <th scope="row" className="py-1 pr-4 text-left font-normal whitespace-nowrap">
                {formatMoment(ts, resolutionMs, timeZone)}
              </th>
              {series.map(({ id }, index) => (
                <td key={id} className="px-4 py-1 text-right whitespace-nowrap">
                  {cells[index] ?? '–'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {total === 0 ? <p className="py-2 text-muted">No data in this range.</p> : null}
    </div>
  );
}
