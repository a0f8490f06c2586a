import { LIMITS } from '#contract/sample-rules.ts';
import { describeError, hasCode } from '../../api/api-error.ts';
import { formatCount } from '../../ui/format/format-number.ts';
import type { LiveSource } from '../../charts/live/live-window.ts';
import type { TimeSpan } from '../../charts/series/time-span.ts';
import type { ChartSeries } from '../../charts/series/series.ts';
import { Failure } from '../../kit/failure.tsx';
import type { EditMetric } from '../../resources/telemetry/edit-metric.tsx';
import { rangeMs, type FixedRange } from '../../resources/telemetry/time-range.ts';
import { cx } from '../../ui/browser/cx.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import type { TimeZone } from '../../ui/format/intl-formats.ts';
import type { CounterViews } from '../../resources/telemetry/counters.ts';
import { Button } from '../../ui/controls/button.tsx';
import { drawnLines } from './chart-options.ts';
import { countsDevices, MEAN, TOP, type ChosenDisplay, type DeviceDisplay } from './device-display.ts';
import { EmptyRange } from './empty-range.tsx';
import type { KnownMetrics } from './known-metrics.ts';
import { figuresOf } from './series-figures.ts';
import { SeriesLegend } from './series-legend.tsx';
import { hiddenIds } from './series-visibility.ts';
import { TelemetryCharts } from './telemetry-charts.tsx';
import { TelemetrySkeleton } from './telemetry-skeleton.tsx';
import { TelemetryTable } from './telemetry-table.tsx';
import type { ShowView, TelemetryView } from './telemetry-view.ts';
import { useShownSpan } from './use-shown-span.ts';
import { useStaleClass } from '../../ui/feedback/stale-class.ts';
import { formatList } from '../../ui/format/format-list.ts';

/** The series of a query and its state. */
type SeriesData = {
  series: readonly ChartSeries[];
  /** The queried span, in epoch ms; undefined before the first response. */
  read: TimeSpan | undefined;
  /** The shown data belongs to the previous query. */
  isStale: boolean;
  /** Undefined: the range is fixed. */
  live: LiveSource | undefined;
  error: Error | null;
  onRetry: () => void;
};

type Props = {
  data: SeriesData;
  view: TelemetryView;
  zone: TimeZone;
  /** `metrics`: the chosen ones of `known`. `counters`: those shown by their increase or rate. */
  selection: {
    known: KnownMetrics;
    metrics: readonly string[];
    counters: CounterViews;
    display: DeviceDisplay;
    deviceCount: number;
  };
  onShow: ShowView;
  onDisplay: (display: ChosenDisplay) => void;
  onEdit: EditMetric | undefined;
};

/** The chosen series as charts or as a table, over their legend. */
export const TelemetryBody = (props: Props) => {
  const { data, view, zone, selection, onShow, onDisplay, onEdit } = props;
  const onFixedRange = (fixedRange: FixedRange) => onShow({ fixedRange });
  const { series, read, isStale, live, error, onRetry } = data;
  const { known, metrics } = selection;
  const span = view.fixedRange ?? read ?? { fromMs: 0, toMs: 0 };
  const shown = useShownSpan(span, live, rangeMs(view.range));
  const hidden = hiddenIds(series, view);
  const staleClass = useStaleClass(isStale);

  // None of the previous series is in the new selection.
  const isNew = isStale && series.length === 0;
  if (read === undefined || isNew) {
    if (error === null) return <TelemetrySkeleton />;
    if (hasCode(error, 'query-too-large'))
      return <TooLarge error={error} selection={selection} onDisplay={onDisplay} />;
    return <Failure error={error} onRetry={onRetry} />;
  }
  const chosen = known.byDevice.map(({ device, metrics: all }) => ({
    device,
    metrics: all.filter(({ metric }) => metrics.includes(metric)),
  }));
  const bounds = chosen.flatMap(({ metrics }) => metrics);
  const states = selection.known.metrics.filter(
    ({ metric, kind }) => metrics.includes(metric) && kind !== 'number',
  );
  const isLeftOut = selection.display.is !== 'each' && !countsDevices(selection.display);
  const leftOut = isLeftOut ? states.map(({ label }) => label) : [];
  if (!isStale && series.length === 0 && leftOut.length > 0)
    return (
      <EmptyState
        title="Only numbers can be combined or ranked"
        action={
          <Button onClick={() => onDisplay({ is: 'across', across: 'count' })}>
            Show devices with samples
          </Button>
        }
      >
        {notNumbersText(leftOut)}
      </EmptyState>
    );
  const figures = figuresOf(series, shown, live);
  if (!isStale && figures.size === 0)
    return (
      <EmptyRange
        fixedRange={shown}
        isLive={live !== undefined}
        zone={zone}
        bounds={bounds}
        onGo={onFixedRange}
      />
    );
  return (
    <>
      <div className={cx('flex flex-1 flex-col px-2 pt-1 md:px-4', staleClass)}>
        {view.shows === 'table' ? (
          <TelemetryTable
            series={series.filter(({ id }) => !hidden.has(id))}
            span={shown}
            live={live}
            timeZone={zone}
          />
        ) : (
          <TelemetryCharts
            series={series}
            hidden={hidden}
            span={span}
            live={live}
            timeZone={zone}
            lines={drawnLines(view.lines, selection.counters, selection.display)}
            onZoom={(fromMs, toMs) => onFixedRange({ fromMs, toMs })}
          />
        )}
      </div>
      <div className="mt-2 border-t border-hairline">
        <SeriesLegend series={series} figures={figures} visibility={view} onChange={onShow} onEdit={onEdit} />
        {leftOut.length > 0 && (
          <p className="border-t border-hairline px-4 py-2 text-sm text-muted">{notNumbersText(leftOut)}</p>
        )}
      </div>
    </>
  );
};

const notNumbersText = (metrics: readonly string[]): string =>
  metrics.length === 1
    ? `${metrics[0]} is not numeric and is not shown.`
    : `${formatList(metrics)} are not numeric and are not shown.`;

type TooLargeProps = { error: Error; selection: Props['selection']; onDisplay: Props['onDisplay'] };

/** Why the service returned nothing, with what it can return of the same devices and metrics. */
const TooLarge = ({ error, selection: { display, deviceCount, metrics }, onDisplay }: TooLargeProps) => {
  const fits = (lines: number) => lines * metrics.length <= LIMITS.seriesPerQuery;
  const isEach = display.is === 'each';
  return (
    <EmptyState
      title="Too many series for one chart"
      action={
        <>
          {isEach && fits(Math.min(TOP.top, deviceCount)) && (
            <Button onClick={() => onDisplay(TOP)}>Show top {TOP.top}</Button>
          )}
          {display.is !== 'across' && fits(1) && (
            <Button onClick={() => onDisplay(MEAN)}>Show mean of all</Button>
          )}
        </>
      }
    >
      {isEach && fits(deviceCount) && describeError(error).detail}
      {isEach &&
        !fits(deviceCount) &&
        `A chart can have ${formatCount(LIMITS.seriesPerQuery)} series. Choose fewer devices or metrics.`}
      {!isEach &&
        `A chart can have ${formatCount(LIMITS.seriesPerQuery)} series, and Penstock can combine or rank at most ${formatCount(LIMITS.seriesToCombine)}. Choose fewer devices or metrics.`}
    </EmptyState>
  );
};
