import { cancelDraw, cancelRender, requestDraw, requestRender } from './draw-scheduler.ts';
import type { LiveSource, TimeSpan } from '../live/live-window.ts';
import type { NiceScale } from '../axes/nice-ticks.ts';
import { useSyncExternalStore } from 'react';
import { createListeners } from '../../ui/browser/listeners.ts';

/** What the axes show. */
export interface PlotView {
  span: TimeSpan;
  left: NiceScale;
  right: NiceScale | undefined;
}

/** The view for a span. With `before`, an axis stays while values still fit it. */
export type ViewOf = (span: TimeSpan, before: PlotView | undefined) => PlotView;

export interface ViewStore {
  get: () => PlotView;
  subscribe: (listener: () => void) => () => void;
}

/** The view of live samples. React renders only when an axis changes: on a step of the window or a new extreme. */
export function createLiveView(live: LiveSource, viewOf: ViewOf): ViewStore {
  const listeners = createListeners();
  let view = viewOf(live.span(), undefined);
  let next = view;
  let stop: (() => void) | undefined;

  const show = () => {
    view = next;
    listeners.notify();
  };
  const update = () => {
    next = viewOf(live.span(), view);
    const isSame = next.span === view.span && next.left === view.left && next.right === view.right;
    if (!isSame) requestRender(show);
  };

  return {
    get: () => view,
    subscribe(listener) {
      const unsubscribe = listeners.subscribe(listener);
      if (stop === undefined) {
        stop = live.subscribe(() => requestDraw(update));
        requestDraw(update);
      }
      return () => {
        unsubscribe();
        if (!listeners.isEmpty()) return;
        stop?.();
        stop = undefined;
        cancelDraw(update);
        cancelRender(show);
      };
    },
  };
}

/** A view that does not change. */
export function fixedView(span: TimeSpan, viewOf: ViewOf): ViewStore {
  const view = viewOf(span, undefined);
  return { get: () => view, subscribe: () => () => undefined };
}

const never = () => () => undefined;

/** A part of the view; renders when that part changes, and only while the chart `isSeen`. */
export function useView<T>(store: ViewStore, isSeen: boolean, select: (view: PlotView) => T): T {
  return useSyncExternalStore(isSeen ? store.subscribe : never, () => select(store.get()));
}
