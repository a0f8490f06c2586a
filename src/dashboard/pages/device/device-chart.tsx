import { useQuery } from '@tanstack/react-query';
import { Table2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Metric } from '#contract/metrics.ts';
import { asCounters, counterViewsOf } from '../../resources/telemetry/counters.ts';
import { CHARTED, refetchMs, telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { useLiveWindow } from '../../resources/telemetry/use-live-window.ts';
import { ChartTable } from '../../charts/chart-table.tsx';
import { seriesOfAnswer } from '../../charts/series/series-of-answer.ts';
import { isNumberSeries, isStateSeries, seriesId, type ColourSlot } from '../../charts/series/series.ts';
import { useValueAxes } from '../../charts/series/value-axes.ts';
import { axisChoice, AxisWidthProvider } from '../../charts/draw/axis-width.tsx';
import { StateTimeline } from '../../charts/state-timeline.tsx';
import { TimeChart } from '../../charts/time-chart.tsx';
import { useElementWidth } from '../../ui/browser/use-element-size.ts';
import { Failure } from '../../kit/failure.tsx';
import { rangeEnds, rangeMs } from '../../resources/telemetry/time-range.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { cx } from '../../ui/browser/cx.ts';
import { timeZoneChoice } from '../../ui/format/format-time.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import type { DeviceView } from './device-view.ts';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import { useStaleClass } from '../../ui/feedback/stale-class.ts';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';

type Props = {
  deviceId: string;
  name: string;
  metrics: readonly Metric[];
  colourOf: (metric: string) => number;
  view: DeviceView;
  heightPx: number;
  onZoom: (fromMs: number, toMs: number) => void;
};

/** The number of buckets changes in steps, so that resizing the window does not query at each pixel. */
const POINTS_STEP = 200;
const MAX_POINTS = 1_000;
const FOLLOW_MS = 30_000;
const TABLE_MS = 5_000;
/** The height at which the table starts to scroll, or that of the chart if it is greater. */
const TABLE_PX = 384;

/** In a live chart, live samples follow the history. The others are refetched, unless the range is fixed. */
const refetchIntervalMs = (
  { zoom, isLive }: DeviceView,
  isTable: boolean,
  countersMs: number | false,
): number | false => {
  if (zoom !== null) return false;
  if (!isLive) return FOLLOW_MS;
  return isTable ? TABLE_MS : countersMs;
};

/** The chosen metrics over time: numbers as lines, counters as their rates, the others as a timeline of their states. */
export const DeviceChart = ({ deviceId, name, metrics, colourOf, view, heightPx, onZoom }: Props) => {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [isTable, setIsTable] = useState(false);
  const width = useElementWidth(element);
  const timeZone = useStoredChoice(timeZoneChoice);
  const windowMs = rangeMs(view.range);
  const { zoom, isLive } = view;
  const names = metrics.map(({ metric }) => metric);
  const points = Math.min(MAX_POINTS, Math.ceil(width / POINTS_STEP) * POINTS_STEP);
  const counters = counterViewsOf(metrics.filter(({ kind }) => kind === 'number'));

  const query = useQuery({
    ...telemetryQueries.series({
      devices: [deviceId],
      metrics: names,
      ...rangeEnds({ range: view.range, fixedRange: zoom }),
      points,
      agg: CHARTED,
    }),
    enabled: width > 0,
    refetchInterval: ({ state }) =>
      refetchIntervalMs(view, isTable, counters.size > 0 && refetchMs(windowMs, points, state)),
  });
  const { data, error, refetch, isPlaceholderData } = query;
  const staleClass = useStaleClass(isPlaceholderData);
  const live = useLiveWindow({
    devices: [deviceId],
    metrics: names.filter((metric) => !counters.has(metric)),
    query,
    windowMs: isLive ? windowMs : null,
    choice: [...counters.keys()].join(' '),
  });

  const colourKey = names.map(colourOf).join(' ');
  const nameKey = JSON.stringify([
    metrics.map(({ metric, label, decimals }) => [metric, label, decimals]),
    [...counters],
  ]);
  const series = useMemo(() => {
    if (data === undefined) return [];
    const colours = colourKey.split(' ').map(Number);
    const values = seriesOfAnswer(data, ({ metric }) => {
      const index = names.indexOf(metric);
      return {
        label: metrics[index]?.label ?? metric,
        colour: (colours[index] ?? 1) as ColourSlot,
        decimals: metrics[index]?.decimals ?? null,
      };
    });
    return asCounters(values, counters, data.to);
    // oxlint-disable-next-line react/exhaustive-deps -- new objects count as new data: only what is drawn counts
  }, [data, colourKey, nameKey]);

  const drawn = series.filter(({ id }) => names.some((metric) => id === seriesId(deviceId, metric)));
  const numbers = useValueAxes(drawn.filter(isNumberSeries));
  const hasRightAxis = new Set(numbers.map(({ axis }) => axis)).size > 1;
  const states = drawn.filter(isStateSeries);
  const toMs = zoom?.toMs ?? data?.to ?? nowMs();
  const fromMs = zoom?.fromMs ?? data?.from ?? toMs - windowMs;
  const time = { fromMs, toMs, timeZone, onZoom, live };

  return (
    <div ref={setElement} className="relative">
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <div className="grid" style={{ height: heightPx }}>
          <Skeleton className="h-auto" />
        </div>
      ) : isTable ? (
        // The region scrolls both ways: within it nothing else does.
        <ScrollRegion
          label="Values"
          className="overflow-auto [&>div]:overflow-visible"
          style={{ minHeight: heightPx, maxHeight: Math.max(heightPx, TABLE_PX) }}
        >
          <ChartTable series={drawn} label={name} time={time} />
        </ScrollRegion>
      ) : (
        <div className={cx(staleClass)} style={{ minHeight: heightPx }}>
          <AxisWidthProvider choice={axisChoice(drawn, time)}>
            {(numbers.length > 0 || states.length === 0) && (
              <TimeChart series={numbers} height={heightPx} label={name} time={time} />
            )}
            {states.length > 0 && (
              <StateTimeline
                series={states}
                label={`${name}, states`}
                time={time}
                {...(hasRightAxis && { right: 'axis' })}
              />
            )}
          </AxisWidthProvider>
        </div>
      )}
      <div className="flex items-center justify-between text-sm text-faint">
        <span className="pointer-coarse:hidden">Drag to zoom in; Back zooms out.</span>
        <IconButton
          label="Show as table"
          aria-pressed={isTable}
          icon={<Table2 />}
          onClick={() => setIsTable(!isTable)}
          className={cx('ml-auto', isTable && 'bg-hover')}
        />
      </div>
    </div>
  );
};
