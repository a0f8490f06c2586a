import { createListeners } from '../../ui/browser/listeners.ts';

export interface Highlight {
  /** The ID of the highlighted series; null: none. */
  get(): string | null;
  set(seriesId: string | null): void;
  subscribe(listener: () => void): () => void;
}

/** The series that stands out while its legend row has the pointer or the focus. Outside React: only canvases redraw. */
export function createHighlight(): Highlight {
  const { subscribe, notify } = createListeners();
  let current: string | null = null;
  return {
    get: () => current,
    set(seriesId) {
      if (seriesId === current) return;
      current = seriesId;
      notify();
    },
    subscribe,
  };
}

/** All charts of the page share this one. */
export const pageHighlight = createHighlight();

/** The ID of the highlighted series, if it is one of these. */
export const highlightedId = (series: readonly { id: string }[]): string | null => {
  const chosen = pageHighlight.get();
  return series.some(({ id }) => id === chosen) ? chosen : null;
};
