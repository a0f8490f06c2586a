import type { TelemetryView } from './telemetry-view.ts';

export type Visibility = Pick<TelemetryView, 'hidden' | 'only'>;

type Listed = { id: string; comparisonOf?: string };

/**
 * The IDs of the hidden series. A series that is shown alone hides all others, if it is among them; the earlier period
 * that it is compared with stays.
 */
export const hiddenIds = (series: readonly Listed[], { hidden, only }: Visibility): ReadonlySet<string> => {
  if (only === null || series.every(({ id }) => id !== only)) return new Set(hidden);
  const others = series.filter(({ id, comparisonOf }) => id !== only && comparisonOf !== only);
  return new Set(others.map(({ id }) => id));
};

/** Shows one series alone; the second time, shows what was shown before. */
export const toggleOnly = (id: string, { hidden, only }: Visibility): Visibility => ({
  hidden,
  only: only === id ? null : id,
});

/** Hides or shows one series, beside those that are shown now. */
export const toggleHidden = (id: string, series: readonly Listed[], view: Visibility): Visibility => {
  const hidden = hiddenIds(series, view);
  return { hidden: hidden.has(id) ? [...hidden].filter((each) => each !== id) : [...hidden, id], only: null };
};
