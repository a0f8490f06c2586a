import {
  comparisons,
  chosenViewTexts,
  lineText,
  MAX_LINES,
  readChosenViews,
  readLine,
  type Comparison,
  type ReferenceLine,
} from './chart-options.ts';
import type { ChosenViews } from '../../resources/telemetry/counters.ts';
import { acrossFunctions, rankRules } from '#contract/across.ts';
import type { DeviceFilter } from '#contract/device-filter.ts';
import { isId } from '#contract/id.ts';
import { deviceDisplayParams, readDeviceDisplay, type ChosenDisplay } from './device-display.ts';
import {
  ranges,
  readTimeRange,
  timeRangeParams,
  type Range,
  type FixedRange,
} from '../../resources/telemetry/time-range.ts';
import { withParams } from '../../ui/browser/with-params.ts';
import type { LoaderFunctionArgs } from 'react-router-dom';
import { queryClient } from '../../api/query-client.ts';
import { telemetryQueries } from '../../resources/telemetry/telemetry-queries.ts';

/** What the page shows, from the URL, so that links can be shared. */
export type TelemetryView = {
  /** IDs. Those of a link may be external IDs until their devices are found. */
  devices: readonly string[];
  /** `key:value`; devices with all of these tags are chosen as well. */
  tags: readonly string[];
  /** Devices of any of these types (and with all of the tags) are chosen as well. */
  types: readonly string[];
  /** Null: automatic. */
  display: ChosenDisplay | null;
  /** Null: the default. */
  metrics: readonly string[] | null;
  /** Ends now and is followed live, unless fixed times are set. */
  range: Range;
  fixedRange: FixedRange | null;
  shows: 'chart' | 'table';
  /** Ids of series. */
  hidden: readonly string[];
  /** The ID of a series that is shown alone, hidden or not. */
  only: string | null;
  compare: Comparison | null;
  shownAs: ChosenViews;
  lines: readonly ReferenceLine[];
  /** Null: the zone that this browser uses everywhere. */
  zone: 'local' | 'utc' | null;
};

type ViewChange = Partial<TelemetryView> | ((now: TelemetryView) => Partial<TelemetryView>);

/** Shows a changed view, as a new entry of the history unless it replaces the current one. */
export type ShowView = (change: ViewChange, options?: { replace?: boolean }) => void;

const MAX_TYPE_LENGTH = 64;
const TAG = /^[^:]{1,64}:./s;

const unique = (values: readonly string[]) => [...new Set(values)].filter((value) => value !== '');

export const readView = (params: URLSearchParams): TelemetryView => {
  const zone = params.get('zone');
  return {
    devices: unique(params.getAll('device')),
    tags: unique(params.getAll('tag')).filter((tag) => TAG.test(tag)),
    types: unique(params.getAll('type')).filter((type) => type.length <= MAX_TYPE_LENGTH),
    display: readDeviceDisplay(params),
    metrics: params.has('metric') ? unique(params.getAll('metric')) : null,
    ...readTimeRange(params),
    shows: params.get('view') === 'table' ? 'table' : 'chart',
    hidden: unique(params.getAll('hide')),
    only: params.get('only') || null,
    compare: comparisons.find((each) => each === params.get('compare')) ?? null,
    shownAs: readChosenViews(params.getAll('as')),
    lines: params
      .getAll('line')
      .flatMap((text) => readLine(text) ?? [])
      .slice(0, MAX_LINES),
    zone: zone === 'utc' || zone === 'local' ? zone : null,
  };
};

const isOneOf =
  (known: readonly string[]) =>
  (value: string): boolean =>
    known.includes(value);

/** Whether `readView` reads a value of a parameter. Other parameters take any text. */
const isRead = new Map<string, (value: string) => boolean>(
  Object.entries({
    range: isOneOf(ranges.map(({ value }) => value)),
    tag: (tag) => TAG.test(tag),
    type: (type) => type.length <= MAX_TYPE_LENGTH,
    across: isOneOf(acrossFunctions),
    top: (top) => readDeviceDisplay(new URLSearchParams({ top })) !== null,
    by: isOneOf(rankRules),
    view: isOneOf(['chart', 'table']),
    compare: isOneOf(comparisons),
    as: (text) => readChosenViews([text]).size > 0,
    line: (text) => readLine(text) !== null,
    zone: isOneOf(['utc', 'local']),
  }),
);

/** The parameters of a URL that `readView` ignores, since their values are not valid. */
export const ignoredParams = (params: URLSearchParams): string[] => {
  const ends = readTimeRange(params).fixedRange === null ? ['from', 'to'] : [];
  return [...params]
    .filter(([name, value]) => value !== '' && (ends.includes(name) || isRead.get(name)?.(value) === false))
    .map(([name, value]) => `${name}=${value}`);
};

/** The URL of a view; defaults are left out. */
export const writeView = (params: URLSearchParams, view: TelemetryView): URLSearchParams => {
  const next = withParams(params, {
    device: view.devices,
    tag: view.tags,
    type: view.types,
    ...deviceDisplayParams(view.display),
    metric: view.metrics ?? '',
    ...timeRangeParams(view.range, view.fixedRange),
    view: view.shows === 'table' ? 'table' : '',
    hide: view.hidden,
    only: view.only ?? '',
    compare: view.compare ?? '',
    as: chosenViewTexts(view.shownAs),
    line: view.lines.map(lineText),
    zone: view.zone ?? '',
  });
  // An empty parameter means no metrics; a missing one means the default.
  if (view.metrics?.length === 0) next.append('metric', '');
  return next;
};

/** The filter of a view; undefined if only individual devices are chosen. */
export const deviceFilterOf = ({
  tags,
  types,
}: Pick<TelemetryView, 'tags' | 'types'>): DeviceFilter | undefined =>
  tags.length === 0 && types.length === 0
    ? undefined
    : { ...(tags.length > 0 && { tag: [...tags] }), ...(types.length > 0 && { type: [...types] }) };

/** Prefetches the first queries without waiting. */
export const telemetryLoader = ({ request }: LoaderFunctionArgs) => {
  const view = readView(new URL(request.url).searchParams);
  const { devices } = view;
  const filter = deviceFilterOf(view);
  void queryClient.prefetchQuery(telemetryQueries.findDevices(''));
  if (filter !== undefined) void queryClient.prefetchQuery(telemetryQueries.matchingDevices(filter));
  for (const id of devices) {
    void queryClient.prefetchQuery(telemetryQueries.namedDevice(id));
    if (isId('dev', id)) void queryClient.prefetchQuery(telemetryQueries.metrics(id));
  }
  return null;
};
