import { useSyncExternalStore } from 'react';
import type { PlotView, ViewStore } from './plot-view.ts';

const never = () => () => undefined;

/** A part of the view; renders again when that part changes, and only while the chart `isSeen`. */
export function useView<T>(store: ViewStore, isSeen: boolean, select: (view: PlotView) => T): T {
  return useSyncExternalStore(isSeen ? store.subscribe : never, () => select(store.get()));
}
