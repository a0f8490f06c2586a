import type { CursorMark } from './cursor-mark.ts';
import type { PlotRow } from '../draw/plot-model.ts';
import { seriesColour } from '../series/series-style.ts';
import { SeriesSwatch } from '../series/series-swatch.tsx';

interface CursorReadoutProps {
  rows: readonly PlotRow[];
  isNarrow: boolean;
  /** Fills and moves the elements. */
  mark: CursorMark;
}

/** More rows would cover the chart; the legend and the table show all. */
const MAX_ROWS = 10;

/** The line at the cursor, a dot for each series, and the box with their values. */
export function CursorReadout({ rows, isNarrow, mark }: CursorReadoutProps) {
  const shown = rows.slice(0, MAX_ROWS);
  const more = rows.length - shown.length;
  return (
    <>
      <div
        ref={(element) => mark.set('line', element)}
        hidden
        className="keeps-colour pointer-events-none absolute left-0 w-px bg-muted/60"
      />
      {shown.map((row, index) => (
        <div
          key={row.id}
          ref={(element) => mark.setInRow('dots', index, element)}
          hidden
          className="keeps-colour pointer-events-none absolute top-0 left-0 -mt-1 -ml-1 size-2 rounded-full border border-surface"
          style={{ backgroundColor: seriesColour(row.colour) }}
        />
      ))}
      <div
        ref={(element) => mark.set('box', element)}
        hidden
        className="tabular pointer-events-none absolute left-0 z-10 max-w-full rounded-sm bg-raised px-2 py-1.5 text-xs shadow-pop"
      >
        <div ref={(element) => mark.set('time', element)} className="pb-0.5 whitespace-nowrap text-muted" />
        {shown.map((row, index) => (
          <div key={row.id} className="flex items-center gap-1.5">
            <span ref={(element) => mark.setInRow('swatches', index, element)} className="flex shrink-0">
              <SeriesSwatch series={row} />
            </span>
            <span className={`truncate text-muted ${isNarrow ? 'max-w-28' : 'max-w-60'}`}>{row.label}</span>
            <span
              ref={(element) => mark.setInRow('values', index, element)}
              className="ml-auto pl-2 whitespace-nowrap text-ink"
            />
            <span
              ref={(element) => mark.setInRow('ranges', index, element)}
              className={isNarrow ? 'hidden' : 'whitespace-nowrap text-muted empty:hidden'}
            />
          </div>
        ))}
        {more > 0 ? <div className="text-faint">and {more} more</div> : null}
      </div>
    </>
  );
}
