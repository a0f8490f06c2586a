import { useMemo } from 'react';
import type { LiveSource, TimeSpan } from '../../charts/live/live-window.ts';
import {
  isNumberSeries,
  isStateSeries,
  type ChartSeries,
  type NumberSeries,
} from '../../charts/series/series.ts';
import { useValueAxes } from '../../charts/series/value-axes.ts';
import { StateTimeline } from '../../charts/state-timeline.tsx';
import { TimeChart } from '../../charts/time-chart.tsx';
import type { TimeZone } from '../../charts/axes/wall-clock.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { chartHeightPx } from './telemetry-skeleton.tsx';
import { ChartTable } from '../../charts/chart-table.tsx';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { rangeText } from './fixed-range.ts';

type Props = {
  series: readonly ChartSeries[];
  hidden: ReadonlySet<string>;
  span: TimeSpan;
  live: LiveSource | undefined;
  timeZone: TimeZone;
  onZoom: (fromMs: number, toMs: number) => void;
};

const byAxis = (series: readonly NumberSeries[]): NumberSeries[][] => [
  ...Map.groupBy(series, ({ axis }) => axis).values(),
];

const labelOf = ([first, ...rest]: readonly NumberSeries[], isAlone: boolean): string => {
  if (first === undefined || (isAlone && first.unit === null)) return 'Values without a unit';
  return first.unit === null
    ? `Values without a unit: ${[first, ...rest].map(({ label }) => label).join(', ')}`
    : `Values in ${first.unit}`;
};

/** One chart for each unit, and without units for each magnitude; states below them. The cursor runs through all. */
export const TelemetryCharts = ({ series, hidden, span, live, timeZone, onZoom }: Props) => {
  const isNarrow = useIsNarrow();
  const numbers = useMemo(() => series.filter(isNumberSeries), [series]);
  // Hidden series keep their axes too.
  const onAxes = useValueAxes(numbers);
  const { groups, states } = useMemo(() => {
    const isShown = ({ id }: ChartSeries) => !hidden.has(id);
    return { groups: byAxis(onAxes.filter(isShown)), states: series.filter(isStateSeries).filter(isShown) };
  }, [series, onAxes, hidden]);
  const shared = { ...span, timeZone, onZoom, ...(live !== undefined && { live }) };
  const height = chartHeightPx(groups.length, isNarrow);

  return (
    <div className="flex flex-col gap-3">
      {groups.map((group) => (
        <TimeChart
          key={group[0]?.axis ?? ''}
          series={group}
          height={height}
          label={labelOf(group, groups.length === 1)}
          {...shared}
        />
      ))}
      {states.length > 0 && <StateTimeline series={states} label="States" {...shared} />}
      <p className="-mt-1 text-sm text-faint pointer-coarse:hidden">Drag to zoom in; Back zooms out.</p>
    </div>
  );
};

type TelemetryTableProps = {
  series: readonly ChartSeries[];
  span: TimeSpan;
  live: LiveSource | undefined;
  timeZone: TimeZone;
};

/** The charts' data as a table. */
export const TelemetryTable = ({ series, span, live, timeZone }: TelemetryTableProps) => (
  <ScrollRegion
    label="Values" // The region scrolls both ways: within it nothing else does.
    className="max-h-[60dvh] min-h-70 overflow-auto [&>div]:overflow-visible"
  >
    <ChartTable
      series={series}
      {...span}
      timeZone={timeZone}
      label={rangeText(span, timeZone)}
      {...(live !== undefined && { live })}
    />
  </ScrollRegion>
);
