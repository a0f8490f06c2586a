import { cancelRender, cancelUpdate, requestRender, requestUpdate } from './draw-scheduler.ts';
import type { LiveSource } from '../live/live-window.ts';
import type { TimeSpan } from '../series/time-span.ts';
import type { NiceScale } from '../axes/nice-ticks.ts';
import { useSyncExternalStore } from 'react';
import { createListeners } from '../../ui/browser/listeners.ts';

/** What the axes show. */
export interface PlotView {
  span: TimeSpan;
  /** The span that the time axis renders. While the ticks and labels of `span` are the same, they only move. */
  axisSpan: TimeSpan;
  left: NiceScale;
  right: NiceScale | undefined;
}

/** The view for a span. With `before`, an axis stays while values still fit it. */
export type ViewOf = (span: TimeSpan, before: PlotView | undefined) => Omit<PlotView, 'axisSpan'>;

/** Whether two spans have the same ticks and labels. */
type HasSameTicks = (a: TimeSpan, b: TimeSpan) => boolean;

export interface ViewStore {
  get: () => PlotView;
  /** Calls back when an axis has to render. */
  subscribeToAxes: (listener: () => void) => () => void;
  /** Calls back on every change, also when the window only moves. */
  subscribe: (listener: () => void) => () => void;
  /** Until it is set, the time axis renders on each step of the window. */
  setTicks: (hasSameTicks: HasSameTicks) => void;
}

/** The view of live samples. React renders only when an axis changes: with its ticks, or on a new extreme. */
export function createLiveView(live: LiveSource, viewOf: ViewOf): ViewStore {
  const axes = createListeners();
  const all = createListeners();
  let hasSameTicks: HasSameTicks = () => false;
  let view = viewAt(live.span());
  let next = view;
  let stop: (() => void) | undefined;

  function viewAt(span: TimeSpan, before?: PlotView): PlotView {
    const axisSpan = before !== undefined && hasSameTicks(before.axisSpan, span) ? before.axisSpan : span;
    return { ...viewOf(span, before), axisSpan };
  }
  const show = () => {
    view = next;
    axes.notify();
    all.notify();
  };
  const update = () => {
    next = viewAt(live.span(), view);
    if (next.axisSpan !== view.axisSpan || next.left !== view.left || next.right !== view.right)
      requestRender(show);
    else if (next.span !== view.span) {
      view = next;
      all.notify();
    }
  };
  const subscribeTo = (listeners: typeof all) => (listener: () => void) => {
    const unsubscribe = listeners.subscribe(listener);
    if (stop === undefined) {
      stop = live.subscribe(() => requestUpdate(update));
      requestUpdate(update);
    }
    return () => {
      unsubscribe();
      if (!axes.isEmpty() || !all.isEmpty()) return;
      stop?.();
      stop = undefined;
      cancelUpdate(update);
      cancelRender(show);
    };
  };

  return {
    get: () => view,
    subscribeToAxes: subscribeTo(axes),
    subscribe: subscribeTo(all),
    setTicks(compare) {
      hasSameTicks = compare;
      if (stop !== undefined) requestUpdate(update);
    },
  };
}

/** A view that does not change. */
export function fixedView(span: TimeSpan, viewOf: ViewOf): ViewStore {
  const view = { ...viewOf(span, undefined), axisSpan: span };
  return { get: () => view, subscribeToAxes: never, subscribe: never, setTicks: () => undefined };
}

const never = () => () => undefined;

/** A part of the axes; renders when that part changes, and only while the chart `isSeen`. */
export function useView<T>(
  store: ViewStore,
  isSeen: boolean,
  select: (view: Omit<PlotView, 'span'>) => T,
): T {
  return useSyncExternalStore(isSeen ? store.subscribeToAxes : never, () => select(store.get()));
}
