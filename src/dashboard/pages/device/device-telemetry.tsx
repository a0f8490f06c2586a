import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import type { Device } from '#contract/devices.ts';
import { firstMetricOf } from '#contract/first-metric.ts';
import type { Metric } from '#contract/metrics.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';
import { useMetricDialog } from '../../resources/telemetry/edit-metric.tsx';
import { useLiveSeries } from '../../api/live/use-live.ts';
import { Failure } from '../../kit/failure.tsx';
import { cx } from '../../ui/browser/cx.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Panel } from '../../ui/layout/panel.tsx';
import { Skeleton } from '../../ui/feedback/skeleton.tsx';
import { readView, writeView, type DeviceView } from './device-view.ts';
import { MetricTable } from './metric-table.tsx';
import { ranges, timeRangeParams } from '../../resources/telemetry/time-range.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { paths, withQuery } from '../../paths.ts';
import { Link } from '../../ui/controls/link.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Switch } from '../../ui/controls/switch.tsx';

/** A chart takes this share of the window, so that the latest values are in view below it. */
const CHART_SHARE = 0.45;
const MIN_CHART_PX = 280;

const subscribeToResize = (listener: () => void) => {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
};

/** The same before and after the chart loads. On a phone, the height of the window changes while it scrolls. */
const useChartHeightPx = (): number => {
  const windowPx = useSyncExternalStore(subscribeToResize, () => window.innerHeight);
  return useIsNarrow() ? MIN_CHART_PX : Math.max(MIN_CHART_PX, Math.round(windowPx * CHART_SHARE));
};

const DeviceChart = lazy(async () => ({ default: (await import('./device-chart.tsx')).DeviceChart }));

/** The number of series colours. */
const MAX_CHARTED = 8;
/** New metrics of a device appear by polling, more often while it has none. */
const NEW_METRICS_MS = 30_000;
const FIRST_METRIC_MS = 2_000;

/** The metrics that the page of a device opens with. */
type Opening = { deviceId: string; metrics: readonly string[] };

/** A device sends its metrics in several messages. Those without a sample for longer are probably no longer sent. */
const RECENT_MS = 3_600_000;

/** The first of the metrics that the device still sends. */
const openingMetricsOf = (metrics: readonly Metric[]): readonly string[] => {
  const latestTs = Math.max(...metrics.map(({ lastTs }) => lastTs));
  const first = firstMetricOf(metrics.filter(({ lastTs }) => latestTs - lastTs < RECENT_MS));
  return first === undefined ? [] : [first.metric];
};

type Props = { deviceId: string; device: Device | undefined; className: string };

/** The chart of the chosen metrics, and the latest value of each. */
export const DeviceTelemetry = ({ deviceId, device, className }: Props) => {
  const canRead = useHasScope('telemetry:read');
  const [params, setParams] = useQueryParams();
  const view = readView(params);
  const editing = useMetricDialog();
  const client = useQueryClient();
  const query = telemetryQueries.metrics(deviceId);
  const { data, error, refetch } = useQuery({
    ...query,
    enabled: canRead,
    refetchInterval: ({ state }) => (state.data?.data.length === 0 ? FIRST_METRIC_MS : NEW_METRICS_MS),
  });
  const metrics = data?.data ?? [];
  const isSeenOnly = device?.lastSeenAt != null && data?.data.length === 0;
  // The metrics may have been read before the first message: only the next read shows that it has no stored samples.
  const [confirmedId, setConfirmedId] = useState<string>();
  useEffect(() => {
    if (!isSeenOnly) return;
    let isCurrent = true;
    void refetch().then(() => isCurrent && setConfirmedId(deviceId));
    return () => {
      isCurrent = false;
    };
  }, [deviceId, isSeenOnly, refetch]);

  useLiveSeries(
    [deviceId],
    metrics.map(({ metric }) => metric),
    (frame) => {
      // The last bucket has the latest value only of texts: for other kinds it is queried.
      const series = frame.series.filter(({ bucketMs }) => bucketMs === undefined);
      if (series.length < frame.series.length) void refetch({ cancelRefetch: false });
      client.setQueryData(query.queryKey, (old) => {
        if (old === undefined) return undefined;
        const latest = new Map(
          series.map(({ metric, ts, value }) => [metric, { ts: ts.at(-1), value: value.at(-1) }]),
        );
        const next = old.data.map((known): Metric => {
          const { ts, value } = latest.get(known.metric) ?? {};
          const isNewer = ts !== undefined && value !== undefined && ts >= known.lastTs;
          return isNewer ? { ...known, lastTs: ts, value } : known;
        });
        return { data: next };
      });
    },
    // Samples between the first query and the stream are in neither.
    () => void refetch(),
  );

  const show = (next: DeviceView, { replace = false } = {}) =>
    setParams((old) => writeView(old, next), { replace, preventScrollReset: true });
  const [opening, setOpening] = useState<Opening>();
  // Chosen once: the chart must not change while samples of other metrics arrive.
  if (opening?.deviceId !== deviceId && metrics.length > 0)
    setOpening({ deviceId, metrics: openingMetricsOf(metrics) });
  const heightPx = useChartHeightPx();
  // As high as the chart and the line below it.
  const chartSkeleton = (
    <div className="mb-(--control-height) grid" style={{ height: heightPx }}>
      <Skeleton className="h-auto" />
    </div>
  );
  const charted = view.metrics ?? (opening?.deviceId === deviceId ? opening.metrics : []);
  const [colourOrder, setColourOrder] = useState<readonly string[]>([]);
  // A metric keeps its colour while others come and go.
  const fresh = charted.filter((metric) => !colourOrder.includes(metric));
  if (fresh.length > 0) setColourOrder(placeInOrder(colourOrder, charted, fresh));
  const colourOf = (metric: string) => (charted.includes(metric) ? colourOrder.indexOf(metric) + 1 : null);

  if (!canRead) {
    return (
      <Panel title="Telemetry" className={className} flush>
        <EmptyState title="No access to telemetry">
          Your key lacks telemetry:read. Ask an administrator.
        </EmptyState>
      </Panel>
    );
  }
  if (error !== null && data === undefined) {
    return (
      <Panel title="Telemetry" className={className} flush>
        <Failure error={error} onRetry={() => void refetch()} />
      </Panel>
    );
  }
  if (data !== undefined && metrics.length === 0) {
    const wasSeen = isSeenOnly && confirmedId === deviceId;
    return (
      // About as tall as the chart and the values that replace it: in most windows, the panels below do not visibly move.
      <Panel title="Telemetry" className={cx(className, !wasSeen && 'xl:min-h-[60dvh]')} flush>
        <FirstSample wasSeen={wasSeen} />
      </Panel>
    );
  }
  return (
    <div
      data-loading={data === undefined || undefined}
      className={`flex min-w-0 flex-col gap-4 ${className}`}
    >
      <Panel
        title="Chart"
        asideWraps
        aside={
          <>
            <Link
              to={withQuery(paths.telemetry, {
                device: deviceId,
                metric: charted,
                ...timeRangeParams(view.range, view.zoom),
              })}
            >
              Open in Telemetry
            </Link>
            <DeviceRange view={view} onChange={show} />
          </>
        }
      >
        <Suspense fallback={chartSkeleton}>
          {data === undefined ? (
            chartSkeleton
          ) : charted.length === 0 ? (
            <div
              className="mb-(--control-height) grid place-items-center text-muted"
              style={{ height: heightPx }}
            >
              Select a metric below to chart it.
            </div>
          ) : (
            <DeviceChart
              deviceId={deviceId}
              name={device?.name ?? 'Device'}
              metrics={metrics.filter(({ metric }) => charted.includes(metric))}
              colourOf={(metric) => colourOf(metric) ?? 1}
              view={view}
              heightPx={heightPx}
              onZoom={(fromMs, toMs) => show({ ...view, zoom: { fromMs, toMs } })}
            />
          )}
        </Suspense>
      </Panel>
      {editing.dialog}
      <MetricTable
        device={device}
        onEdit={editing.open && ((metric) => editing.open?.({ deviceId, metric }))}
        metrics={data?.data}
        colourOf={colourOf}
        canAdd={charted.length < MAX_CHARTED}
        onToggle={(metric, isCharted) =>
          show(
            {
              ...view,
              metrics: isCharted ? [...charted, metric] : charted.filter((other) => other !== metric),
            },
            { replace: true },
          )
        }
      />
    </div>
  );
};

/** Assigns new metrics to free positions, so that each has its own colour. */
const placeInOrder = (order: readonly string[], charted: readonly string[], fresh: readonly string[]) => {
  const next = order.map((metric) => (charted.includes(metric) ? metric : null));
  for (const metric of fresh) {
    const free = next.indexOf(null);
    if (free === -1) next.push(metric);
    else next[free] = metric;
  }
  return next.map((metric, index) => metric ?? order[index] ?? '');
};

/** A device without telemetry: it has sent nothing yet, or its pipeline sends samples to another destination. */
const FirstSample = ({ wasSeen }: { wasSeen: boolean }) =>
  wasSeen ? (
    <EmptyState title="No stored samples">
      This device has sent messages. Its samples went to destinations other than telemetry, or were rejected:
      check its pipelines.
    </EmptyState>
  ) : (
    <EmptyState title="No samples yet">
      The first sample appears here when it is stored. Use Connect above to send one.
    </EmptyState>
  );

/** The range of the chart, and whether it follows now. */
const DeviceRange = ({ view, onChange }: { view: DeviceView; onChange: (view: DeviceView) => void }) => (
  <div className="flex items-center justify-end gap-x-3 gap-y-2 py-1 pl-3 max-md:contents">
    {view.zoom === null ? (
      <Switch
        label="Live"
        className="ml-auto text-sm text-muted"
        checked={view.isLive}
        onChange={(event) => onChange({ ...view, isLive: event.target.checked })}
      />
    ) : (
      <Button
        variant="quiet"
        className="ml-auto h-7 px-2 text-sm text-accent touch:h-11"
        onClick={() => onChange({ ...view, zoom: null, isLive: true })}
      >
        Reset zoom
      </Button>
    )}
    <Segmented
      label="Range"
      options={ranges}
      value={view.zoom === null ? view.range : null}
      onChange={(range) =>
        onChange({ ...view, range, zoom: null, isLive: view.zoom !== null || view.isLive })
      }
    />
  </div>
);
