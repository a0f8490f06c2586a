import { Eye, EyeOff } from 'lucide-react';
import { useEffect, useState, type FocusEvent } from 'react';
import { pageHighlight } from '../../charts/draw/highlight.ts';
import { SeriesSwatch } from '../../charts/series/series-swatch.tsx';
import {
  COMBINED_DEVICE,
  isNumberSeries,
  splitSeriesId,
  type ChartSeries,
} from '../../charts/series/series.ts';
import { EditMetricButton, type EditMetric } from '../../resources/telemetry/edit-metric.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { useMediaQuery } from '../../ui/browser/media-query.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { formatCompact, formatCount } from '../../ui/format/format-number.ts';
import type { SeriesFigures } from './series-figures.ts';
import { hiddenIds, toggleHidden, toggleOnly, type Visibility } from './series-visibility.ts';

type Props = {
  series: readonly ChartSeries[];
  /** By the ID of the series. */
  figures: ReadonlyMap<string, SeriesFigures>;
  visibility: Visibility;
  onChange: (change: (now: Visibility) => Visibility) => void;
  /** Undefined: this session cannot change metrics. */
  onEdit: EditMetric | undefined;
};

type RowProps = {
  series: ChartSeries;
  figures: SeriesFigures | undefined;
  isShown: boolean;
  /** Whether it was chosen to be shown alone. */
  isOnly: boolean;
  onToggle: () => void;
  onIsolate: () => void;
  onEdit: (() => void) | undefined;
};

/** Opens the settings of the metric of a series; a combined series has several, so none is opened. */
const editOf = (
  { id, comparisonOf }: ChartSeries,
  open: EditMetric | undefined,
): (() => void) | undefined => {
  if (open === undefined || comparisonOf !== undefined) return undefined;
  const metric = splitSeriesId(id);
  return metric.deviceId === COMBINED_DEVICE ? undefined : () => open(metric);
};

const columns = ['Min', 'Mean', 'Max', 'Last', 'Change', 'Samples'] as const;

/** The figures of a row by column. The share of a state takes the first three. */
const figuresInColumns = (figures: SeriesFigures | undefined): readonly string[] => {
  if (figures === undefined) return [];
  const samples = figures.count === null ? '' : formatCount(figures.count);
  return figures.kind === 'state'
    ? ['', '', '', figures.last, figures.changes, samples]
    : [figures.min ?? '', figures.mean, figures.max, figures.last, figures.change, samples];
};

/** Shares of the width of the table, of which a quarter is left to the name, and the padding of a cell with some room for wide units. */
const LEAST_WIDTH = '9.5cqi';
const MOST_WIDTH = 'min(13cqi, (76cqi - 5.5rem) / 6)';
const PADDING = '2rem';

/**
 * The widths of the columns, which keep their places while live figures become shorter and longer: most figures fit the least
 * width, and others the most characters that their column has had with these series.
 */
const useColumnWidths = (rows: readonly RowProps[]): readonly string[] => {
  const key = rows.map(({ series }) => series.id).join(' ');
  const [known, setKnown] = useState<{ key: string; most: readonly number[] }>({ key, most: [] });
  const texts = rows.map(({ figures }) => figuresInColumns(figures));
  const most = columns.map((_, column) =>
    Math.max(
      known.key === key ? (known.most[column] ?? 0) : 0,
      ...texts.map((text) => text[column]?.length ?? 0),
    ),
  );
  if (known.key !== key || most.some((characters, column) => characters !== known.most[column]))
    setKnown({ key, most });
  return most.map((characters) => `clamp(${LEAST_WIDTH}, calc(${characters}ch + ${PADDING}), ${MOST_WIDTH})`);
};

/**
 * The series with their figures for the shown range. A row under the pointer or with the focus stands out in the chart;
 * its name shows it alone, its eye hides it.
 */
export const SeriesLegend = ({ series, figures, visibility, onChange, onEdit }: Props) => {
  // Six figures with units leave a name no room in a narrower table.
  const hasTable = useMediaQuery('(width >= 72rem)');
  useEffect(() => () => pageHighlight.set(null), []);
  const hidden = hiddenIds(series, visibility);
  const rows = series.map((each): RowProps => ({
    series: each,
    figures: figures.get(each.id),
    isShown: !hidden.has(each.id),
    isOnly: visibility.only === each.id,
    onToggle: () => onChange((now) => toggleHidden(each.id, series, now)),
    onIsolate: () => onChange((now) => toggleOnly(each.id, now)),
    onEdit: editOf(each, onEdit),
  }));
  const widths = useColumnWidths(rows);
  if (!hasTable) {
    return (
      <ul aria-label="Series" className="divide-y divide-hairline md:max-h-[35dvh] md:overflow-y-auto">
        {rows.map((row) => (
          <LegendCard key={row.series.id} {...row} />
        ))}
      </ul>
    );
  }
  return (
    <div className="@container max-h-[35dvh] overflow-y-auto">
      <table className="tabular w-full table-fixed" aria-label="Series">
        <colgroup>
          <col />
          {columns.map((name, column) => (
            <col key={name} style={{ width: widths[column] }} />
          ))}
          <col className="w-22" />
        </colgroup>
        <thead className="sticky top-0 z-1 bg-surface text-right text-sm text-muted shadow-[inset_0_-1px_0_var(--hairline)]">
          <tr>
            <th scope="col" className="py-1.5 pr-4 pl-4 text-left font-medium">
              Series
            </th>
            {columns.map((name) => (
              <th key={name} scope="col" className="px-3 py-1.5 font-medium">
                {name}
              </th>
            ))}
            <th scope="col">
              <span className="sr-only">Edit, hide or show</span>
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
const cell = 'truncate px-3 text-right';

/** Makes a series stand out in the charts while its row has the pointer or the focus. */
const highlighting = (id: string) => ({
  onPointerEnter: () => pageHighlight.set(id),
  onPointerLeave: () => pageHighlight.set(null),
  onFocus: () => pageHighlight.set(id),
  onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) pageHighlight.set(null);
  },
});

const LegendRow = (row: RowProps) => {
  const { series, figures, isShown } = row;
  return (
    <tr
      {...highlighting(series.id)}
      className={cx('group h-(--row) hover:bg-hover/60', !isShown && 'text-faint')}
    >
      <th scope="row" className="py-0 pr-4 pl-2 text-left font-normal">
        <IsolateButton {...row} />
      </th>
      {figures === undefined ? (
        <td colSpan={6} className={cx(cell, 'text-muted')}>
          {NONE}
        </td>
      ) : figures.kind === 'state' ? (
        <>
          <td data-hint-if-cut colSpan={3} className={cell}>
            {figures.share}
          </td>
          <td data-hint-if-cut className={cx(cell, 'font-medium')}>
            {figures.last}
          </td>
          <td className="px-3 text-right leading-tight">{figures.changes}</td>
          <td data-hint-if-cut className={cx(cell, 'text-muted')}>
            {formatCount(figures.count)}
          </td>
        </>
      ) : (
        <>
          <td data-hint-if-cut className={cx(cell, figures.min === null && 'text-muted')}>
            {figures.min ?? '–'}
          </td>
          <td data-hint-if-cut className={cell}>
            {figures.mean}
          </td>
          <td data-hint-if-cut className={cell}>
            {figures.max}
          </td>
          <td data-hint-if-cut className={cx(cell, 'font-medium')}>
            {figures.last}
          </td>
          <td data-hint-if-cut className={cell}>
            {figures.change}
          </td>
          <td data-hint-if-cut className={cx(cell, 'text-muted')}>
            {figures.count === null ? '–' : formatCount(figures.count)}
          </td>
        </>
      )}
      <td className="pr-2 text-right whitespace-nowrap">
        <EditButton {...row} />
        <HideButton {...row} />
      </td>
    </tr>
  );
};

const LegendCard = (row: RowProps) => {
  const { series, figures, isShown } = row;
  return (
    <li
      {...highlighting(series.id)}
      className={cx('group tabular py-1.5 pr-1 pl-2', !isShown && 'text-faint')}
    >
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">
          <IsolateButton {...row} wraps />
        </div>
        <span className="max-w-1/2 truncate font-medium">{figures?.last ?? ''}</span>
        <span className="flex shrink-0">
          <EditButton {...row} />
          <HideButton {...row} />
        </span>
      </div>
      {figures?.kind === 'number' ? (
        <dl className="grid grid-cols-3 gap-x-2 gap-y-1 pr-2 pb-1 pl-10 text-sm md:grid-cols-5">
          {figures.min !== null && <CardFigure name="Min" value={figures.min} />}
          <CardFigure name="Mean" value={figures.mean} />
          <CardFigure name="Max" value={figures.max} />
          <CardFigure name="Change" value={figures.change} />
          {figures.count !== null && <CardFigure name="Samples" value={formatCompact(figures.count)} />}
        </dl>
      ) : figures?.kind === 'state' ? (
        <>
          <p className="truncate pr-2 pl-10 text-sm">{figures.share}</p>
          <dl className="grid grid-cols-3 gap-x-2 pr-2 pb-1 pl-10 text-sm">
            <CardFigure name="Change" value={figures.changes} isWide />
            <CardFigure name="Samples" value={formatCompact(figures.count)} />
          </dl>
        </>
      ) : (
        <p className="pb-1 pl-10 text-sm text-muted">{NONE}</p>
      )}
    </li>
  );
};

/** `isWide`: has room for a text that wraps. */
const CardFigure = ({ name, value, isWide = false }: { name: string; value: string; isWide?: boolean }) => (
  <div className={cx('min-w-0', isWide && 'col-span-2')}>
    <dt className="text-xs text-faint">{name}</dt>
    <dd className={cx(!isWide && 'truncate')}>{value}</dd>
  </div>
);

/** `wraps`: a long name has up to three lines. */
const IsolateButton = ({
  series,
  isShown,
  isOnly,
  onIsolate,
  wraps = false,
}: RowProps & { wraps?: boolean }) => (
  <button
    type="button"
    aria-pressed={isOnly}
    data-hint={isOnly ? 'Show all series' : 'Show only this series'}
    onClick={onIsolate}
    className={cx(
      'flex min-h-8 max-w-full items-center gap-2.5 rounded-sm px-2 text-left touch:min-h-11',
      isOnly && 'bg-accent-soft font-medium',
    )}
  >
    <span className={cx('flex', !isShown && 'opacity-25')}>
      {/* States have a colour each. */}
      {isNumberSeries(series) ? <SeriesSwatch series={series} /> : <span className="w-5.5" />}
    </span>
    <span
      className={cx(
        'min-w-0',
        wraps ? 'line-clamp-3 wrap-anywhere' : 'truncate',
        !isShown && 'line-through decoration-faint/60',
      )}
    >
      {series.label}
    </span>
  </button>
);

const EditButton = ({ series: { label }, onEdit }: RowProps) =>
  onEdit !== undefined && <EditMetricButton label={label} onClick={onEdit} />;

const HideButton = ({ series: { label }, isShown, onToggle }: RowProps) => (
  <IconButton
    label={isShown ? `Hide ${label}` : `Show ${label}`}
    icon={isShown ? <Eye /> : <EyeOff />}
    onClick={onToggle}
  />
);
