import type { TelemetryView } from './telemetry-view.ts';

export type Visibility = Pick<TelemetryView, 'hidden' | 'only'>;

/** The IDs of the hidden series. A series that is shown alone hides all others, if it is among them. */
export const hiddenIds = (ids: readonly string[], { hidden, only }: Visibility): ReadonlySet<string> =>
  new Set(only !== null && ids.includes(only) ? ids.filter((id) => id !== only) : hidden);

/** Shows one series alone; the second time, shows what was shown before. */
export const toggleOnly = (id: string, { hidden, only }: Visibility): Visibility => ({
  hidden,
  only: only === id ? null : id,
});

/** Hides or shows one series, beside those that are shown now. */
export const toggleHidden = (id: string, ids: readonly string[], view: Visibility): Visibility => {
  const hidden = hiddenIds(ids, view);
  return { hidden: hidden.has(id) ? [...hidden].filter((each) => each !== id) : [...hidden, id], only: null };
};
