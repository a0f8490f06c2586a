import { hasCode } from '../../api/api-error.ts';
import type { LiveSource, TimeSpan } from '../../charts/live/live-window.ts';
import type { ChartSeries } from '../../charts/series/series.ts';
import { Failure } from '../../kit/failure.tsx';
import type { EditMetric } from '../../resources/telemetry/edit-metric.tsx';
import { rangeMs, type FixedRange } from '../../resources/telemetry/time-range.ts';
import { cx } from '../../ui/browser/cx.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import type { TimeZoneChoice } from '../../ui/format/format-time.ts';
import type { CounterViews } from '../../resources/telemetry/counters.ts';
import { Button } from '../../ui/controls/button.tsx';
import { drawnLines } from './chart-options.ts';
import { TOP, type DeviceDisplay } from './device-display.ts';
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
  zone: TimeZoneChoice;
  /** `metrics`: the chosen ones of `known`. `counters`: those shown by their increase or rate. */
  selection: {
    known: KnownMetrics;
    metrics: readonly string[];
    counters: CounterViews;
    display: DeviceDisplay;
  };
  onShow: ShowView;
  onEdit: EditMetric | undefined;
};

/** The chosen series as charts or as a table, over their legend. */
export const TelemetryBody = (props: Props) => {
  const { data, view, zone, selection, onShow, onEdit } = props;
  const onFixedRange = (fixedRange: FixedRange) => onShow({ fixedRange });
  const { series, read, isStale, live, error, onRetry } = data;
  const { known, metrics } = selection;
  const span = view.fixedRange ?? read ?? { fromMs: 0, toMs: 0 };
  const shown = useShownSpan(span, live, rangeMs(view.range));
  const hidden = hiddenIds(series, view);

  // None of the previous series is in the new selection.
  const isNew = isStale && series.length === 0;
  if (read === undefined || isNew) {
    if (error === null) return <TelemetrySkeleton />;
    if (hasCode(error, 'query-too-large'))
      return (
        <TooLarge
          detail={error.detail}
          onDisplay={(display) => onShow({ display })}
          display={selection.display}
        />
      );
    return <Failure error={error} onRetry={onRetry} />;
  }
  const chosen = known.byDevice.map(({ device, metrics: all }) => ({
    device,
    metrics: all.filter(({ metric }) => metrics.includes(metric)),
  }));
  const without = chosen.filter(({ metrics }) => metrics.length === 0).map(({ device }) => device.name);
  const bounds = chosen.flatMap(({ metrics }) => metrics);
  const states = selection.known.metrics.filter(
    ({ metric, kind }) => metrics.includes(metric) && kind !== 'number',
  );
  const isLeftOut =
    selection.display.is === 'top' ||
    (selection.display.is === 'across' && selection.display.across !== 'count');
  const leftOut = isLeftOut ? states.map(({ label }) => label) : [];
  if (!isStale && series.length === 0 && leftOut.length > 0)
    return (
      <EmptyState
        title="Only numbers can be combined or ranked"
        action={
          <Button onClick={() => onShow({ display: { is: 'across', across: 'count' } })}>
            Show devices with samples
          </Button>
        }
      >
        {notNumbersText(leftOut)}
      </EmptyState>
    );
  const isEmpty = !isStale && series.every((each) => figuresOf(each, shown, live) === undefined);
  if (isEmpty)
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
      <div
        className={cx(
          'flex flex-1 flex-col px-2 pt-1 md:px-4',
          isStale && 'opacity-60 transition-opacity delay-150 motion-reduce:delay-0',
        )}
      >
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
            lines={drawnLines(view.lines, selection.counters)}
            onZoom={(fromMs, toMs) => onFixedRange({ fromMs, toMs })}
          />
        )}
      </div>
      <div className="mt-2 border-t border-hairline">
        <SeriesLegend
          series={series}
          figuresOf={(each) => figuresOf(each, shown, live)}
          visibility={view}
          onChange={(visibility) => onShow(visibility, { replace: true })}
          onEdit={onEdit}
        />
        {leftOut.length > 0 && (
          <p className="border-t border-hairline px-4 py-2 text-sm text-muted">{notNumbersText(leftOut)}</p>
        )}
        {without.length > 0 && selection.display.is === 'each' && (
          <p className="border-t border-hairline px-4 py-2 text-sm text-muted">
            {new Intl.ListFormat('en').format(without)} {without.length === 1 ? 'has' : 'have'} sent none of
            the chosen metrics.
          </p>
        )}
      </div>
    </>
  );
};

const notNumbersText = (metrics: readonly string[]): string =>
  `${new Intl.ListFormat('en').format(metrics)} ${metrics.length === 1 ? 'has' : 'have'} no numbers and ${metrics.length === 1 ? 'is' : 'are'} not shown.`;

type TooLargeProps = { detail: string; display: DeviceDisplay; onDisplay: (display: DeviceDisplay) => void };

const TooLarge = ({ detail, display, onDisplay }: TooLargeProps) => (
  <EmptyState
    title="Too much for one chart"
    action={
      display.is === 'each' && (
        <>
          <Button onClick={() => onDisplay(TOP)}>Show top {TOP.top}</Button>
          <Button onClick={() => onDisplay({ is: 'across', across: 'mean' })}>Show mean of all</Button>
        </>
      )
    }
  >
    {detail}
  </EmptyState>
);
