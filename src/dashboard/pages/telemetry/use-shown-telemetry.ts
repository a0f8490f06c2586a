import { counterViewsOf } from '../../resources/telemetry/counters.ts';
import { useChosenDevices, useDrawnDevices } from './chosen-devices.ts';
import { aggregatesFor, reductionOf, shownDisplay } from './device-display.ts';
import { firstMetrics, namesIn, useKnownMetrics } from './known-metrics.ts';
import { deviceFilterOf, type TelemetryView } from './telemetry-view.ts';
import { useComparison } from './use-comparison.ts';
import { useNamedSeries } from './use-named-series.ts';
import { useTelemetry } from './use-telemetry.ts';
import { selectsDevices } from '../../resources/telemetry/telemetry-queries.ts';

/** The width of the axes and the margin, in CSS pixels. */
const AXES_PX = 64;
const STEP = 50;
const MIN_POINTS = 50;
const MAX_POINTS = 1_000;

/** Buckets for a chart of a width: one for each pixel, in steps, so that dragging the window wider sends no request. */
const plotPoints = (widthPx: number): number => {
  if (widthPx === 0) return 0;
  const pixels = Math.floor((widthPx - AXES_PX) / STEP) * STEP;
  return Math.min(MAX_POINTS, Math.max(MIN_POINTS, pixels));
};

/** What a view shows in a width in CSS pixels: its devices and metrics, their samples, and those of an earlier period. */
export const useShownTelemetry = (view: TelemetryView, widthPx: number) => {
  const chosen = useChosenDevices(view);
  const known = useKnownMetrics(chosen.devices);
  const metrics = view.metrics ?? firstMetrics(known);
  const filter = deviceFilterOf(view);
  const isReady = !chosen.isPending && !known.isPending;
  const display = shownDisplay(view.display, chosen.count);
  const chosenMetrics = known.metrics.filter(({ metric }) => metrics.includes(metric));
  const numbers = chosenMetrics.filter(({ kind }) => kind === 'number');
  const counters = counterViewsOf(numbers, view.shownAs);
  const selection = { devices: view.devices.filter((id) => !chosen.missing.includes(id)), filter };
  const isNothing = !selectsDevices(selection);
  const request = {
    ...selection,
    metrics: isReady ? metrics : [],
    points: plotPoints(widthPx),
    agg: aggregatesFor(display, counters),
    reduction: reductionOf(display),
  };
  const range = { range: view.range, fixedRange: view.fixedRange };
  const { query, live } = useTelemetry({
    ...request,
    ...range,
    counters,
    followedDevices: display.is === 'each' && isReady ? chosen.devices.map(({ id }) => id) : [],
  });
  const isCurrent = isReady && !query.isPlaceholderData;
  const drawn = useDrawnDevices(chosen, query.data);
  const isRanked = isCurrent && query.data?.top !== undefined;
  const ranked = { devices: isRanked ? drawn.map(({ id }) => id) : [], filter: undefined };
  // A ranking is compared with the earlier period of the same devices, which are not known before it is there.
  const comparedRequest =
    display.is === 'top'
      ? { ...request, ...ranked, metrics: isRanked ? metrics : [], reduction: undefined }
      : request;
  const comparison = useComparison(view.compare, { ...comparedRequest, ...range });
  const series = useNamedSeries(isNothing ? undefined : query.data, comparison.compared, {
    devices: drawn,
    metrics,
    namesOf: namesIn(known),
    counters,
  });
  return {
    devices: { chosen, drawn, display, isNothing },
    metrics: { known, metrics, numbers, counters },
    request,
    /** Null while it is not known. */
    comparedRequest:
      selectsDevices(comparedRequest) && comparedRequest.metrics.length > 0 ? comparedRequest : null,
    /** The devices that an export reads; none while a ranking is not there. */
    exported: display.is === 'top' ? ranked : selection,
    samples: { query, live, series, isReady, isCurrent },
    comparison,
  };
};
