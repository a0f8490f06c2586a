import { useMemo, useState } from 'react';
import type { LiveSource, TimeSpan } from '../../charts/live/live-window.ts';
import {
  isNumberSeries,
  isStateSeries,
  type ChartSeries,
  type NumberSeries,
} from '../../charts/series/series.ts';
import { useValueAxes } from '../../charts/series/value-axes.ts';
import { StateTimeline, stateTimelinePx } from '../../charts/state-timeline.tsx';
import { TimeChart } from '../../charts/time-chart.tsx';
import type { TimeZone } from '../../charts/axes/wall-clock.ts';
import { useElementHeight } from '../../charts/use-element-size.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { chartHeightPx, leastChartPx } from './telemetry-skeleton.tsx';

type Props = {
  series: readonly ChartSeries[];
  hidden: ReadonlySet<string>;
  span: TimeSpan;
  live: LiveSource | undefined;
  timeZone: TimeZone;
  onZoom: (fromMs: number, toMs: number) => void;
};

/** Between charts, and the line below them, in CSS pixels. */
const GAP_PX = 12;
const HINT_PX = 24;

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
  const [room, setRoom] = useState<HTMLElement | null>(null);
  const roomPx = useElementHeight(room);
  const statesPx = states.length > 0 ? stateTimelinePx(states.length) + GAP_PX : 0;
  const height = isNarrow
    ? leastChartPx(groups.length, isNarrow)
    : chartHeightPx(groups.length, roomPx - statesPx - HINT_PX);
  const leastPx = groups.length * (leastChartPx(groups.length, isNarrow) + GAP_PX) + statesPx + HINT_PX;

  return (
    // The charts do not make their room taller, so that it follows a smaller window too.
    <div ref={setRoom} className="relative flex-1" style={{ minHeight: leastPx }}>
      <div data-charts className="absolute inset-x-0 top-0 flex flex-col gap-3">
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
    </div>
  );
};
