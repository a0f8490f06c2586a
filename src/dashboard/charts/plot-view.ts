import { requestDraw } from './draw-scheduler.ts';
import type { LiveSource, TimeSpan } from './live-window.ts';
import type { NiceScale } from './nice-ticks.ts';

/** What the axes show. */
export interface PlotView {
  span: TimeSpan;
  left: NiceScale;
  right: NiceScale | undefined;
}

/** The view for a span; `before` lets an axis stay as it is while values still fit it. */
export type ViewOf = (span: TimeSpan, before: PlotView | undefined) => PlotView;

export interface ViewStore {
  get: () => PlotView;
  subscribe: (listener: () => void) => () => void;
}

/** The view of live samples. React hears of it only when an axis has to change: on a step of the window, or a new extreme. */
export function createLiveView(live: LiveSource, viewOf: ViewOf): ViewStore {
  let view = viewOf(live.span(), undefined);
  return {
    get: () => view,
    subscribe(listener) {
      const update = () => {
        const next = viewOf(live.span(), view);
        if (next.span === view.span && next.left === view.left && next.right === view.right) return;
        view = next;
        listener();
      };
      requestDraw(update);
      return live.subscribe(() => requestDraw(update));
    },
  };
}

/** The view of what does not change. */
export function fixedView(span: TimeSpan, viewOf: ViewOf): ViewStore {
  const view = viewOf(span, undefined);
  return { get: () => view, subscribe: () => () => undefined };
}
