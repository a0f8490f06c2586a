import { useMemo, useState } from 'react';
import type { LiveSource } from '../../charts/live/live-window.ts';
import type { TimeSpan } from '../../charts/series/time-span.ts';
import {
  colourSlots,
  isNumberSeries,
  isStateSeries,
  splitSeriesId,
  type ChartSeries,
  type NumberSeries,
} from '../../charts/series/series.ts';
import { useValueAxes } from '../../charts/series/value-axes.ts';
import { axisChoice, AxisWidthProvider } from '../../charts/draw/axis-width.tsx';
import { StateTimeline, stateTimelinePx } from '../../charts/state-timeline.tsx';
import { TimeChart, type ReferenceLine as DrawnLine } from '../../charts/time-chart.tsx';
import type { ReferenceLine } from './chart-options.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import { useElementHeight } from '../../ui/browser/use-element-size.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { withLineLabels } from './line-labels.ts';
import { chartHeightPx, leastChartPx } from './telemetry-skeleton.tsx';

type Props = {
  series: readonly ChartSeries[];
  hidden: ReadonlySet<string>;
  span: TimeSpan;
  live: LiveSource | undefined;
  timeZone: TimeZone;
  lines: readonly ReferenceLine[];
  onZoom: (fromMs: number, toMs: number) => void;
};

const NO_LINES: readonly DrawnLine[] = [];

/** The lines of each axis: each where the first series of its metric is. */
const linesOnAxes = (
  lines: readonly ReferenceLine[],
  series: readonly NumberSeries[],
): ReadonlyMap<string | undefined, DrawnLine[]> => {
  const drawn = lines.flatMap(({ metric, value, label }): DrawnLine[] => {
    const of = series.find(({ id }) => splitSeriesId(id).metric === metric);
    return of === undefined ? [] : [{ axis: of.axis, value, unit: of.unit, label }];
  });
  return Map.groupBy(drawn, ({ axis }) => axis);
};

/** A comparison shares the axis of the series that it belongs to. */
const besideOriginals = (series: readonly NumberSeries[]): NumberSeries[] => {
  const axes = new Map(series.map(({ id, axis }) => [id, axis]));
  return series.map((each) => {
    const axis = each.comparisonOf === undefined ? undefined : axes.get(each.comparisonOf);
    return axis === undefined ? each : { ...each, axis };
  });
};

/** The room for the names of lines, once there are more than colours. */
const LABELS_PX = 150;
/** Between charts, and the line below them, in CSS pixels. */
const GAP_PX = 12;
const HINT_PX = 24;

/** The shown series of each axis. Hidden series count for the order, so that no chart moves when one is hidden. */
const byAxis = (
  series: readonly NumberSeries[],
  isShown: (series: NumberSeries) => boolean,
): NumberSeries[][] =>
  [...Map.groupBy(series, ({ axis }) => axis).values()]
    .map((group) => group.filter(isShown))
    .filter((group) => group.length > 0)
    .map(withLineLabels);

const labelOf = ([first, ...rest]: readonly NumberSeries[], isAlone: boolean): string => {
  if (first === undefined || (isAlone && first.unit === null)) return 'Values without a unit';
  return first.unit === null
    ? `Values without a unit: ${[first, ...rest].map(({ label }) => label).join(', ')}`
    : `Values in ${first.unit}`;
};

/** One chart for each unit, and without units for each magnitude; states below them. The cursor runs through all. */
export const TelemetryCharts = ({ series, hidden, span, live, timeZone, lines, onZoom }: Props) => {
  const isNarrow = useIsNarrow();
  const numbers = useMemo(() => series.filter(isNumberSeries), [series]);
  // Hidden series keep their axes too.
  const withAxes = useValueAxes(numbers);
  const onAxes = useMemo(() => besideOriginals(withAxes), [withAxes]);
  const drawnLines = useMemo(() => linesOnAxes(lines, onAxes), [lines, onAxes]);
  const { groups, states } = useMemo(() => {
    const isShown = ({ id }: ChartSeries) => !hidden.has(id);
    return { groups: byAxis(onAxes, isShown), states: series.filter(isStateSeries).filter(isShown) };
  }, [series, onAxes, hidden]);
  const time = { ...span, timeZone, onZoom, live };
  const lineCount = groups.reduce((sum, group) => sum + group.length, 0);
  const labelsPx = lineCount > colourSlots.length && !isNarrow ? LABELS_PX : 0;
  const [room, setRoom] = useState<HTMLElement | null>(null);
  const roomPx = useElementHeight(room);
  const isMeasured = isNarrow || roomPx > 0;
  const [timeline, setTimeline] = useState<HTMLElement | null>(null);
  const timelinePx = useElementHeight(timeline) || stateTimelinePx(states.length);
  const statesPx = states.length > 0 ? timelinePx + GAP_PX : 0;
  const height = isNarrow
    ? leastChartPx(groups.length, isNarrow)
    : chartHeightPx(groups.length, roomPx - statesPx - HINT_PX);
  const leastPx = groups.length * (leastChartPx(groups.length, isNarrow) + GAP_PX) + statesPx + HINT_PX;

  return (
    // The charts do not make their room taller, so that it follows a smaller window too.
    <div ref={setRoom} className="relative flex-1" style={{ minHeight: leastPx }}>
      <div data-charts className="absolute inset-x-0 top-0 flex flex-col gap-3">
        <AxisWidthProvider choice={axisChoice(series, time)}>
          {(isMeasured ? groups : []).map((group) => (
            <TimeChart
              key={group[0]?.axis ?? ''}
              series={group}
              height={height}
              label={labelOf(group, groups.length === 1)}
              time={time}
              options={{ lines: drawnLines.get(group[0]?.axis) ?? NO_LINES, labelsPx }}
            />
          ))}
          {isMeasured && states.length > 0 && (
            <div ref={setTimeline}>
              <StateTimeline
                series={states}
                label="States"
                time={time}
                {...(labelsPx > 0 && { right: labelsPx })}
              />
            </div>
          )}
        </AxisWidthProvider>
        {isMeasured && (
          <p className="-mt-1 text-sm text-muted pointer-coarse:hidden">Drag to zoom in; Back zooms out.</p>
        )}
      </div>
    </div>
  );
};
