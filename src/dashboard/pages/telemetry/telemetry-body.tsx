import { lazy, Suspense, useMemo, useSyncExternalStore } from 'react';
import { hasCode } from '../../api/api-error.ts';
import type { LiveSource, TimeSpan } from '../../charts/live/live-window.ts';
import type { ChartSeries } from '../../charts/series/series.ts';
import { Failure } from '../../kit/failure.tsx';
import { rangeMs, type FixedRange } from '../../resources/telemetry/time-range.ts';
import { cx } from '../../ui/browser/cx.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import type { TimeZoneChoice } from '../../ui/format/format-time.ts';
import type { KnownMetrics } from './known-metrics.ts';
import { figuresOf } from './series-figures.ts';
import { SeriesLegend } from './series-legend.tsx';
import type { TelemetryView } from './telemetry-view.ts';
import { TelemetrySkeleton } from './telemetry-skeleton.tsx';
import { nowMs } from '../../ui/browser/clock.ts';
import { formatMoment, formatSpan } from '../../charts/axes/time-format.ts';
import { Button } from '../../ui/controls/button.tsx';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { beginningNear, endingNear, rangeEndTexts } from './fixed-range.ts';

/** Figures update at most this often. */
const EVERY_MS = 1_000;

type SpanStore = { get: () => TimeSpan | null; subscribe: (onChange: () => void) => () => void };

const fixedSpan: SpanStore = { get: () => null, subscribe: () => () => undefined };

const liveSpan = (live: LiveSource, windowMs: number): SpanStore => {
  const upToNow = (): TimeSpan => {
    const toMs = Math.ceil(nowMs());
    return { fromMs: toMs - windowMs, toMs };
  };
  let span = upToNow();
  return {
    get: () => span,
    subscribe(onChange) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const renew = () => {
        timer = undefined;
        span = upToNow();
        onChange();
      };
      const stop = live.subscribe(() => {
        timer ??= setTimeout(renew, EVERY_MS);
      });
      return () => {
        clearTimeout(timer);
        stop();
      };
    },
  };
};

/**
 * The span of figures and tables: the queried one, in live mode up to the latest sample. In live mode it changes at
 * most once a second, which limits the recomputation.
 */
const useShownSpan = (read: TimeSpan, live: LiveSource | undefined, windowMs: number): TimeSpan => {
  const store = useMemo(() => (live === undefined ? fixedSpan : liveSpan(live, windowMs)), [live, windowMs]);
  const followed = useSyncExternalStore(store.subscribe, store.get);
  return followed === null || followed.toMs < read.toMs ? read : followed;
};

const TelemetryCharts = lazy(async () => ({
  default: (await import('./telemetry-charts.tsx')).TelemetryCharts,
}));
const TelemetryTable = lazy(async () => ({
  default: (await import('./telemetry-charts.tsx')).TelemetryTable,
}));

/** The series of a query and its state. */
type SeriesData = {
  series: readonly ChartSeries[];
  /** The queried span, in epoch ms; undefined before the first response. */
  read: TimeSpan | undefined;
  /** The shown data belongs to the previous query. */
  isStale: boolean;
  error: Error | null;
  onRetry: () => void;
};

type Props = {
  data: SeriesData;
  live: LiveSource | undefined;
  view: TelemetryView;
  zone: TimeZoneChoice;
  /** `metrics`: the chosen ones of `known`. */
  selection: { known: KnownMetrics; metrics: readonly string[] };
  onFixedRange: (fixedRange: FixedRange) => void;
  onHide: (hidden: readonly string[]) => void;
};

/** The chosen series as charts or as a table, over their legend. */
export const TelemetryBody = ({ data, live, view, zone, selection, onFixedRange, onHide }: Props) => {
  const { series, read, isStale, error, onRetry } = data;
  const { known, metrics } = selection;
  const span = view.fixedRange ?? read ?? { fromMs: 0, toMs: 0 };
  const shown = useShownSpan(span, live, rangeMs(view.range));
  const hidden = new Set(view.hidden);

  // None of the previous series is in the new selection.
  const isNew = isStale && series.length === 0;
  if (read === undefined || isNew) {
    if (error === null) return <TelemetrySkeleton />;
    if (hasCode(error, 'query-too-large'))
      return <EmptyState title="Too much for one chart">{error.detail}</EmptyState>;
    return <Failure error={error} onRetry={onRetry} />;
  }
  const chosen = known.byDevice.map(({ device, metrics: all }) => ({
    device,
    metrics: all.filter(({ metric }) => metrics.includes(metric)),
  }));
  const without = chosen.filter(({ metrics }) => metrics.length === 0).map(({ device }) => device.name);
  const bounds = chosen.flatMap(({ metrics }) => metrics);
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
          'px-2 pt-1 md:px-4',
          isStale && 'opacity-60 transition-opacity delay-150 motion-reduce:delay-0',
        )}
      >
        <Suspense fallback={<TelemetrySkeleton />}>
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
              onZoom={(fromMs, toMs) => onFixedRange({ fromMs, toMs })}
            />
          )}
        </Suspense>
      </div>
      <div className="mt-2 border-t border-hairline">
        <SeriesLegend
          series={series}
          figuresOf={(each) => figuresOf(each, shown, live)}
          hidden={hidden}
          onHide={onHide}
        />
        {without.length > 0 && (
          <p className="border-t border-hairline px-4 py-2 text-sm text-muted">
            {new Intl.ListFormat('en').format(without)} {without.length === 1 ? 'has' : 'have'} sent none of
            the chosen metrics.
          </p>
        )}
      </div>
    </>
  );
};

type EmptyRangeProps = {
  fixedRange: FixedRange;
  /** Whether the range follows now. */
  isLive: boolean;
  zone: TimeZoneChoice;
  /** First and last samples (epoch ms) of the chosen series. */
  bounds: readonly { firstTs: number; lastTs: number }[];
  onGo: (fixedRange: FixedRange) => void;
};

/** The range with the nearest samples: before this one if there are any, else after it. */
const nearest = (
  fixedRange: FixedRange,
  bounds: EmptyRangeProps['bounds'],
): { text: string; ts: number; to: FixedRange } | null => {
  const lasts = bounds.map(({ lastTs }) => lastTs);
  const before = lasts.filter((ts) => ts < fixedRange.fromMs);
  const after = bounds.map(({ firstTs }) => firstTs).filter((ts) => ts >= fixedRange.toMs);
  if (before.length === 0 && after.length > 0) {
    const ts = Math.min(...after);
    return { text: 'First sample:', ts, to: beginningNear(fixedRange, ts) };
  }
  if (lasts.length === 0) return null;
  const ts = Math.max(...(before.length > 0 ? before : lasts));
  return { text: 'Last sample:', ts, to: endingNear(fixedRange, ts) };
};

/** Shown if the range has no samples, with a button to the nearest ones. */
const EmptyRange = ({ fixedRange, isLive, zone, bounds, onGo }: EmptyRangeProps) => {
  const found = nearest(fixedRange, bounds);
  return (
    <EmptyState
      title={
        isLive
          ? `No samples in the last ${formatSpan(fixedRange.toMs - fixedRange.fromMs)}`
          : `No samples between ${rangeEndTexts(fixedRange, zone).join(' and ')}`
      }
      action={
        found !== null && (
          <Button variant="primary" onClick={() => onGo(found.to)}>
            Go to sample
          </Button>
        )
      }
    >
      {found === null ? (
        'The chosen devices have never sent these metrics.'
      ) : (
        <>
          {found.text} {formatMoment(found.ts, 1_000, zone)}, <RelativeTime at={found.ts} />.
        </>
      )}
    </EmptyState>
  );
};
