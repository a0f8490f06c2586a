import { seriesColour } from '../../charts/series/series-colours.ts';
import type { ChartSeries } from '../../charts/series/series.ts';
import { Button } from '../../ui/controls/button.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { formatCompact, formatCount } from '../../ui/format/format-number.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { changesText, type SeriesFigures } from './series-figures.ts';

type Props = {
  series: readonly ChartSeries[];
  figuresOf: (series: ChartSeries) => SeriesFigures | undefined;
  /** Ids. */
  hidden: ReadonlySet<string>;
  onHide: (hidden: readonly string[]) => void;
};

type RowProps = {
  series: ChartSeries;
  figures: SeriesFigures | undefined;
  isShown: boolean;
  /** Whether only this series is shown. */
  isOnly: boolean;
  canIsolate: boolean;
  onToggle: () => void;
  onIsolate: () => void;
};

/** The series with their figures for the shown range; each can be hidden, or shown alone. */
export const SeriesLegend = ({ series, figuresOf, hidden, onHide }: Props) => {
  const isNarrow = useIsNarrow();
  const shown = series.filter(({ id }) => !hidden.has(id));
  const rows = series.map((each): RowProps => {
    const isShown = !hidden.has(each.id);
    const isOnly = isShown && shown.length === 1 && series.length > 1;
    const others = series.filter(({ id }) => id !== each.id).map(({ id }) => id);
    return {
      series: each,
      figures: figuresOf(each),
      isShown,
      isOnly,
      canIsolate: series.length > 1,
      onToggle: () => onHide(isShown ? [...hidden, each.id] : [...hidden].filter((id) => id !== each.id)),
      onIsolate: () => onHide(isOnly ? [] : others),
    };
  });
  if (isNarrow) {
    return (
      <ul aria-label="Series" className="divide-y divide-hairline">
        {rows.map((row) => (
          <LegendCard key={row.series.id} {...row} />
        ))}
      </ul>
    );
  }
  return (
    <div className="max-h-[40dvh] overflow-y-auto">
      <table className="tabular w-full" aria-label="Series">
        <thead className="sticky top-0 z-1 bg-surface text-right text-sm text-muted shadow-[inset_0_-1px_0_var(--hairline)]">
          <tr>
            <th scope="col" className="py-1.5 pr-4 pl-4 text-left font-medium">
              Series
            </th>
            {['Min', 'Max', 'Mean', 'Last'].map((name) => (
              <th key={name} scope="col" className="px-3 py-1.5 font-medium">
                {name}
              </th>
            ))}
            <th scope="col" className="px-3 py-1.5 font-medium">
              Samples
            </th>
            <th scope="col" className="w-20">
              <span className="sr-only">Show alone</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-hairline">
          {rows.map((row) => (
            <LegendRow key={row.series.id} {...row} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

const NONE = 'No samples';
const cell = 'px-3 text-right whitespace-nowrap';

const LegendRow = (row: RowProps) => {
  const { figures, isShown } = row;
  return (
    <tr className={cx('group h-(--row) hover:bg-hover/60', !isShown && 'text-faint')}>
      <th scope="row" className="max-w-0 py-0 pr-4 pl-2 text-left font-normal" style={{ width: '34%' }}>
        <SeriesToggle {...row} />
      </th>
      {figures === undefined ? (
        <td colSpan={5} className={cx(cell, 'text-muted')}>
          {NONE}
        </td>
      ) : figures.kind === 'state' ? (
        <>
          <td colSpan={3} className={cx(cell, 'text-muted')}>
            {changesText(figures.changes)}
          </td>
          <td className={cx(cell, 'max-w-40 truncate font-medium')}>{figures.last}</td>
          <td className={cx(cell, 'text-faint')}>–</td>
        </>
      ) : (
        <>
          <td className={cell}>{figures.min}</td>
          <td className={cell}>{figures.max}</td>
          <td className={cell}>{figures.mean}</td>
          <td className={cx(cell, 'font-medium')}>{figures.last}</td>
          <td className={cx(cell, 'text-muted')}>{formatCount(figures.count)}</td>
        </>
      )}
      <td className="pr-2 text-right">
        <OnlyButton {...row} />
      </td>
    </tr>
  );
};

const LegendCard = (row: RowProps) => {
  const { figures, isShown } = row;
  return (
    <li className={cx('tabular py-1.5 pr-1 pl-2', !isShown && 'text-faint')}>
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <SeriesToggle {...row} />
        </div>
        <span className="max-w-1/2 truncate font-medium">{figures?.last ?? ''}</span>
        <OnlyButton {...row} />
      </div>
      {figures?.kind === 'number' ? (
        <dl className="grid grid-cols-4 gap-x-2 pr-2 pb-1 pl-8 text-sm">
          <CardFigure name="Min" value={figures.min} />
          <CardFigure name="Max" value={figures.max} />
          <CardFigure name="Mean" value={figures.mean} />
          <CardFigure name="Samples" value={formatCompact(figures.count)} />
        </dl>
      ) : (
        <p className="pb-1 pl-8 text-sm text-muted">
          {figures === undefined ? NONE : changesText(figures.changes)}
        </p>
      )}
    </li>
  );
};

const CardFigure = ({ name, value }: { name: string; value: string }) => (
  <div className="min-w-0">
    <dt className="text-xs text-faint">{name}</dt>
    <dd className="truncate">{value}</dd>
  </div>
);

const SeriesToggle = ({ series: { label, colour }, isShown, onToggle }: RowProps) => (
  <button
    type="button"
    aria-pressed={isShown}
    data-hint={isShown ? 'Hide' : 'Show'}
    onClick={onToggle}
    className="flex h-8 max-w-full items-center gap-2.5 rounded-sm px-2 text-left touch:h-11"
  >
    <span
      aria-hidden
      className={cx('keeps-colour h-0.75 w-3.5 shrink-0 rounded-full', !isShown && 'opacity-25')}
      style={{ backgroundColor: seriesColour(colour) }}
    />
    <span className={cx('min-w-0 truncate', !isShown && 'line-through decoration-faint/60')}>{label}</span>
  </button>
);

const OnlyButton = ({ series: { label }, isOnly, canIsolate, onIsolate }: RowProps) =>
  canIsolate && (
    <Button
      variant="quiet"
      aria-label={isOnly ? 'Show all series' : `Show only ${label}`}
      onClick={onIsolate}
      className="h-7 px-2 text-sm text-muted touch:h-11"
    >
      {isOnly ? 'All' : 'Only'}
    </Button>
  );
