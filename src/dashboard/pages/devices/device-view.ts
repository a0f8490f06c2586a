/** What a device's page shows of its telemetry, as the address holds it. */
export const ranges = [
  { value: '15m', label: '15 min', ms: 900_000 },
  { value: '1h', label: '1 h', ms: 3_600_000 },
  { value: '6h', label: '6 h', ms: 21_600_000 },
  { value: '24h', label: '24 h', ms: 86_400_000 },
  { value: '7d', label: '7 d', ms: 604_800_000 },
  { value: '30d', label: '30 d', ms: 2_592_000_000 },
] as const;
export type Range = (typeof ranges)[number]['value'];

export type DeviceView = {
  /** A stretch that was zoomed into; null where the range ends now. */
  zoom: { fromMs: number; toMs: number } | null;
  range: Range;
  isLive: boolean;
  /** Chosen metrics; null where nobody chose yet. */
  metrics: readonly string[] | null;
};

const DEFAULT_RANGE: Range = '1h';

export const rangeMs = (range: Range): number => ranges.find(({ value }) => value === range)?.ms ?? 3_600_000;

export const readView = (params: URLSearchParams): DeviceView => {
  const [from, to] = [Number(params.get('from') ?? Number.NaN), Number(params.get('to') ?? Number.NaN)];
  const isZoomed = Number.isSafeInteger(from) && Number.isSafeInteger(to) && from < to;
  return {
    zoom: isZoomed ? { fromMs: from, toMs: to } : null,
    range: ranges.find(({ value }) => value === params.get('range'))?.value ?? DEFAULT_RANGE,
    isLive: !isZoomed && params.get('live') !== 'off',
    metrics: params.has('metric') ? params.getAll('metric').filter((metric) => metric !== '') : null,
  };
};

/** The address for another view; what is the default is left out. */
export const writeView = (params: URLSearchParams, view: DeviceView): URLSearchParams => {
  const next = new URLSearchParams(params);
  for (const name of ['from', 'to', 'range', 'live', 'metric']) next.delete(name);
  if (view.zoom !== null) {
    next.set('from', String(view.zoom.fromMs));
    next.set('to', String(view.zoom.toMs));
  }
  if (view.range !== DEFAULT_RANGE) next.set('range', view.range);
  if (!view.isLive && view.zoom === null) next.set('live', 'off');
  // A choice of none is kept as an empty one, apart from no choice.
  for (const metric of view.metrics?.length === 0 ? [''] : (view.metrics ?? []))
    next.append('metric', metric);
  return next;
};
