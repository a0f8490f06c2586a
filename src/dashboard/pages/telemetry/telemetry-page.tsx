import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react';
import { useQueryParams } from '../../ui/browser/query-params.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { useElementWidth } from '../../ui/browser/use-element-size.ts';
import { Failure } from '../../kit/failure.tsx';
import type { FixedRange } from '../../resources/telemetry/time-range.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { withParams } from '../../ui/browser/with-params.ts';
import { timeZoneChoice } from '../../ui/format/format-time.ts';
import { useIsNarrow } from '../../ui/browser/media-query.ts';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useStoredChoice } from '../../ui/browser/stored-choice.ts';
import type { ChosenDevices } from './chosen-devices.ts';
import { CompareSelect, useIsComparisonInBar } from './compare-select.tsx';
import { ChartOptionsButton } from './chart-options-button.tsx';
import { lineCount, type ChosenDisplay } from './device-display.ts';
import { ExportStatus } from './export-status.tsx';
import { ShareAndExport } from './share-and-export.tsx';
import { namesIn } from './known-metrics.ts';
import { PickerRow } from './picker-row.tsx';
import { useShownTelemetry } from './use-shown-telemetry.ts';
import { selectsDevices } from '../../resources/telemetry/telemetry-queries.ts';
import { NoMetric, NoSelection } from './no-selection.tsx';
import { RangeToolbar, shownRange } from './range-toolbar.tsx';
import { TelemetryNotices } from './telemetry-notices.tsx';
import { TelemetrySkeleton } from './telemetry-skeleton.tsx';
import { useMetricDialog } from '../../resources/telemetry/edit-metric.tsx';
import { ignoredParams, readView, writeView, type ShowView, type TelemetryView } from './telemetry-view.ts';
import { titleOf } from './shown-telemetry.ts';
import { hiddenIds } from './series-visibility.ts';
import { useExport } from './use-export.ts';
import type { TelemetryAnswer } from '#contract/telemetry.ts';

const TelemetryBody = lazy(async () => ({
  default: (await import('./telemetry-body.tsx')).TelemetryBody,
}));

/** The number of samples in a response, raw or in buckets. */
const samplesIn = ({ series }: TelemetryAnswer): number =>
  series.reduce(
    (total, { ts, count }) => total + (count === undefined ? ts.length : count.reduce((a, b) => a + b, 0)),
    0,
  );

/** Charts of any metrics of any devices over any range, live or fixed. */
export const TelemetryPage = () => {
  const canRead = useHasScope('telemetry:read');
  if (canRead) return <Telemetry />;
  return (
    <>
      <PageHeader title="Telemetry" />
      <div className="rounded-md border border-hairline bg-surface">
        <EmptyState title="No access to telemetry">
          Your key lacks telemetry:read. Ask an administrator.
        </EmptyState>
      </div>
    </>
  );
};

/** Replaces external IDs in the address by the IDs of their devices. */
const useDeviceIds = (
  { devices }: TelemetryView,
  { idsByExternalId }: Pick<ChosenDevices, 'idsByExternalId'>,
  replace: (devices: readonly string[]) => void,
) => {
  const replaceExternalIds = useEffectEvent(() =>
    replace([...new Set(devices.map((id) => idsByExternalId.get(id) ?? id))]),
  );
  const found = [...idsByExternalId.values()].join(' ');
  useEffect(() => {
    if (found !== '') replaceExternalIds();
  }, [found]);
};

const Telemetry = () => {
  const [params, setParams] = useQueryParams();
  const view = readView(params);
  const ownZone = useStoredChoice(timeZoneChoice);
  const zone = view.zone ?? ownZone;
  const show: ShowView = (change, { replace = false } = {}) =>
    setParams(
      (old) => {
        const now = readView(old);
        return writeView(old, { ...now, ...(typeof change === 'function' ? change(now) : change) });
      },
      { replace, preventScrollReset: true },
    );
  const showRange = (fixedRange: FixedRange) => show({ fixedRange });

  const [frame, setFrame] = useState<HTMLElement | null>(null);
  const {
    devices,
    metrics: shownMetrics,
    request,
    comparedRequest,
    exported,
    samples,
    comparison,
  } = useShownTelemetry(view, useElementWidth(frame));
  const { chosen, drawn, display, isNothing } = devices;
  const isComparisonInBar = useIsComparisonInBar();
  const { known, metrics, numbers, counters } = shownMetrics;
  const { query, live, series, isReady, isCurrent } = samples;
  const hidden = hiddenIds(series, view);
  useDeviceIds(view, chosen, (ids) =>
    // Nothing else: values that are ignored stay in the notice that names them.
    setParams((old) => withParams(old, { device: ids }), { replace: true, preventScrollReset: true }),
  );
  // Rendered here, because the legend remounts when the window becomes narrow.
  const editing = useMetricDialog();
  const exporting = useExport();
  const isNarrow = useIsNarrow();
  const onDisplay = (next: ChosenDisplay) => {
    show({ display: next });
    // The button that was chosen disappears.
    frame?.focus({ preventScroll: true });
  };

  const seriesOf = (lines: number) => lines * metrics.length;
  const shareAndExport = chosen.devices.length > 0 && metrics.length > 0 && (
    <ShareAndExport
      view={view}
      request={{ ...request, metrics, seriesCount: seriesOf(lineCount(display, chosen.count)) }}
      comparedRequest={
        comparedRequest && {
          ...comparedRequest,
          // Each metric of a ranking has its own devices. The earlier period is read for all of them.
          seriesCount: seriesOf(display.is === 'top' ? drawn.length : lineCount(display, chosen.count)),
        }
      }
      shown={() => ({
        title: titleOf(
          display.is === 'across' ? series.map(({ label }) => label) : drawn.map(({ name }) => name),
        ),
        series: series.filter(({ id }) => !hidden.has(id)),
        externalIds: new Map(
          query.data?.series.map(({ device, externalId }) => [device ?? '', externalId ?? '']),
        ),
        span: shownRange(view),
        live,
        zone,
      })}
      charts={() => frame?.querySelector('[data-charts]') ?? null}
      isCompact={isNarrow}
      onExport={
        selectsDevices(exported)
          ? (format) => exporting.start({ ...shownRange(view), ...exported, metrics, format })
          : undefined
      }
    />
  );

  return (
    // The height of the window without the padding of the page, of which the chart takes what is left.
    <div className="flex flex-col md:min-h-[calc(100dvh-2rem)] lg:min-h-[calc(100dvh-2.5rem)]">
      <PageHeader
        title="Telemetry"
        // On a phone the menus are beside the title.
        aside={isNarrow && <span className="ml-auto flex">{shareAndExport}</span>}
        {...(!isNarrow && { actions: shareAndExport })}
      />
      <PickerRow view={view} chosen={chosen} metrics={{ known, chosen: metrics }} onShow={show} />
      <div className="mb-3 flex flex-col gap-2 empty:hidden">
        <TelemetryNotices
          ignored={ignoredParams(params)}
          chosen={chosen}
          answer={isCurrent ? query.data : undefined}
          devices={{ display, onDisplay }}
          counters={counters}
          labelOf={(metric) => namesIn(known)('', metric).label}
          onDropMissing={() =>
            show({ devices: view.devices.filter((id) => !chosen.missing.includes(id)) }, { replace: true })
          }
          refresh={{
            error: query.data === undefined ? null : query.error,
            readAtMs: query.dataUpdatedAt,
            onRetry: () => void query.refetch(),
          }}
          comparison={comparison}
        />
        <ExportStatus
          state={exporting.state}
          expectedRows={query.data === undefined || display.is !== 'each' ? null : samplesIn(query.data)}
          onCancel={exporting.cancel}
          onRetry={exporting.start}
          onDismiss={exporting.dismiss}
        />
      </div>
      <section
        ref={setFrame}
        aria-label="Charts"
        tabIndex={-1}
        className="flex min-w-0 flex-1 flex-col rounded-md border border-hairline bg-surface"
      >
        {isNothing ? (
          <NoSelection onChoose={(id) => show({ devices: [id] })} />
        ) : chosen.error !== null ? (
          <Failure error={chosen.error} onRetry={chosen.refetch} />
        ) : (
          <>
            <div className="p-3 md:px-4">
              <RangeToolbar
                view={view}
                zone={zone}
                onRange={(range) => show({ range, fixedRange: null })}
                onFixedRange={showRange}
                onZone={(next) => show({ zone: next === ownZone ? null : next }, { replace: true })}
                onShows={(shows) => show({ shows })}
                aside={
                  <>
                    {isComparisonInBar && (
                      <div className="w-38">
                        <CompareSelect
                          compare={view.compare}
                          none="No comparison"
                          onChange={(compare) => show({ compare })}
                        />
                      </div>
                    )}
                    <ChartOptionsButton
                      options={view}
                      devices={{ count: chosen.count, display }}
                      numbers={numbers}
                      onChange={show}
                    />
                  </>
                }
              />
            </div>
            {isReady && metrics.length === 0 ? (
              <NoMetric known={known} onChoose={(metric) => show({ metrics: [metric] })} />
            ) : (
              <Suspense fallback={<TelemetrySkeleton />}>
                <TelemetryBody
                  data={{
                    series,
                    read:
                      query.data === undefined ? undefined : { fromMs: query.data.from, toMs: query.data.to },
                    isStale: !isCurrent,
                    live,
                    error: query.error,
                    onRetry: () => void query.refetch(),
                  }}
                  view={view}
                  zone={zone}
                  selection={{ known, metrics, counters, display, deviceCount: chosen.count }}
                  onShow={show}
                  onDisplay={onDisplay}
                  onEdit={editing.open}
                />
              </Suspense>
            )}
          </>
        )}
      </section>
      {editing.dialog}
    </div>
  );
};
