import {
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { CursorMark } from './cursor-mark.ts';
import { CursorReadout } from './cursor-readout.tsx';
import { pageCursor } from './cursor.ts';
import { formatRange } from '../axes/format-moment.ts';
import { toValue } from '../axes/linear-scale.ts';
import { movedBy, zoomedBy } from './cursor-keys.ts';
import { DragZoom, placeBand } from './drag-zoom.ts';
import type { PlotHandle } from '../draw/plot-geometry.ts';
import type { Plot, PlotModel } from '../draw/plot-model.ts';
import type { TimeZone } from '../../ui/format/intl-formats.ts';

interface CursorLayerProps {
  label: string;
  plot: Plot;
  isNarrow: boolean;
  timeZone: TimeZone;
  isSeen: boolean;
  handle: PlotHandle;
  onZoom: ((fromMs: number, toMs: number) => void) | undefined;
}

const SPEAK_AFTER_MS = 250;

/** The line, the dots, the readout and the dragged range that follow the pointer or the arrow keys. */
export function CursorLayer(props: CursorLayerProps) {
  const { label, plot, isNarrow, timeZone, handle, onZoom } = props;
  const { rows, modelOf, store } = plot;
  const [origin] = useState(() => Symbol(label));
  const mark = useCursorMark(props, origin);
  const { spoken, speak } = useSpeech();
  const { band, ...drag } = useDrag(props);
  const summary = useRef<HTMLParagraphElement>(null);
  const summaryId = useId();

  useEffect(() => {
    writeSummary(summary.current, modelOf(store.get()));
  }, [modelOf, store]);

  const pointTo = (x: number) => {
    if (handle.geometry === undefined) return;
    const { span } = store.get();
    const timeMs = toValue(handle.geometry.x, x);
    pageCursor.moveTo(Math.min(span.toMs, Math.max(span.fromMs, timeMs)), origin);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const view = store.get();
    const { span } = view;
    const at = pageCursor.position()?.timeMs;
    const current = at === undefined || at < span.fromMs || at > span.toMs ? undefined : at;
    const timeMs = movedBy(event, current, span, modelOf(view));
    const zoomed = onZoom === undefined ? undefined : zoomedBy(event.key, current, span);
    if (timeMs === undefined && zoomed === undefined) return;
    event.preventDefault();
    if (timeMs !== undefined) {
      pageCursor.moveTo(timeMs, origin);
      speak(() => mark.text);
    } else if (zoomed !== undefined) {
      onZoom?.(zoomed.fromMs, zoomed.toMs);
      speak(() => formatRange(zoomed.fromMs, zoomed.toMs, timeZone));
    }
  };

  const chart = usePointerMove((x) => {
    drag.move(x);
    pointTo(x);
  });

  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application does interact */}
      <div
        ref={chart}
        // The chart handles the keys itself, so a screen reader must pass them on.
        role="application"
        aria-roledescription="chart"
        aria-label={label}
        aria-describedby={summaryId}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys read the chart
        tabIndex={0}
        // The panel clips an outline outside the chart.
        className="absolute inset-0 cursor-crosshair touch-pan-y -outline-offset-2 select-none"
        onKeyDown={onKeyDown}
        // New samples may have arrived since the summary was written.
        onFocus={() => writeSummary(summary.current, modelOf(store.get()))}
        onBlur={() => pageCursor.leave(origin)}
        onPointerDown={(event) => {
          if (event.pointerType === 'touch') event.currentTarget.focus({ preventScroll: true });
          else drag.start(event);
          pointTo(xIn(event, event.currentTarget));
        }}
        onPointerUp={(event) => {
          const hasZoomed = drag.end(xIn(event, event.currentTarget));
          // The pointer is over another time now.
          if (hasZoomed) pageCursor.leave(origin);
        }}
        onPointerCancel={drag.cancel}
        onPointerLeave={(event) => {
          // The readout stays after a touch ends.
          if (event.pointerType !== 'touch') pageCursor.leave(origin);
        }}
      >
        <div ref={band} hidden className="pointer-events-none absolute border-x border-accent bg-accent/15" />
        <CursorReadout rows={rows} isNarrow={isNarrow} mark={mark} />
      </div>
      <p ref={summary} id={summaryId} className="sr-only" />
      <p ref={spoken} aria-live="polite" className="sr-only" />
    </>
  );
}

/** Listens without React, whose synthetic event for each move takes a fifth of the script of a move. */
const usePointerMove = (onMove: (x: number) => void) => {
  const element = useRef<HTMLDivElement>(null);
  const move = useEffectEvent(onMove);
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    const listener = (event: globalThis.PointerEvent) => move(xIn(event, current));
    current.addEventListener('pointermove', listener);
    return () => current.removeEventListener('pointermove', listener);
  }, []);
  return element;
};

/** The mark, moved with the cursor of the page and with each drawing. */
const useCursorMark = ({ plot, timeZone, isSeen, handle }: CursorLayerProps, origin: symbol) => {
  const { rows, modelOf, store } = plot;
  const [mark] = useState(() => new CursorMark());

  const show = useEffectEvent(() => {
    const view = store.get();
    const { span } = view;
    const position = pageCursor.position();
    const isInside = position !== null && position.timeMs >= span.fromMs && position.timeMs <= span.toMs;
    const cursor = isInside ? { timeMs: position.timeMs, isOwn: position.origin === origin } : null;
    mark.render(handle.geometry, rows, modelOf(view), span, timeZone, cursor);
  });
  useEffect(() => {
    if (!isSeen) return undefined;
    show();
    const stopCursor = pageCursor.subscribe(() => show());
    const stopDrawn = handle.subscribe(() => show());
    return () => {
      stopCursor();
      stopDrawn();
    };
  }, [handle, isSeen]);
  useEffect(() => () => pageCursor.leave(origin), [origin]);
  return mark;
};

/** Announces words to screen readers after the last of several keys. */
const useSpeech = () => {
  const spoken = useRef<HTMLParagraphElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const speak = (words: () => string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (spoken.current !== null) spoken.current.textContent = words();
    }, SPEAK_AFTER_MS);
  };
  return { spoken, speak };
};

/** Selects a range by dragging, with a band over it. `x` in CSS pixels from the left of the chart. */
const useDrag = ({ plot: { store }, handle, onZoom }: CursorLayerProps) => {
  const band = useRef<HTMLDivElement>(null);
  const [drag] = useState(() => new DragZoom());
  const showBand = (x: number | undefined) => {
    const { geometry } = handle;
    if (band.current === null || geometry === undefined) return;
    placeBand(band.current, geometry, x === undefined ? undefined : drag.stretch(geometry, x));
  };
  return {
    band,
    start: (event: PointerEvent) => {
      if (onZoom === undefined || event.button !== 0 || handle.geometry === undefined) return;
      drag.start(handle.geometry, xIn(event, event.currentTarget));
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    move: (x: number) => {
      if (drag.isActive) showBand(x);
    },
    /** Whether a range was selected. */
    end: (x: number): boolean => {
      const { geometry } = handle;
      const chosen = geometry === undefined ? undefined : drag.end(geometry, x, store.get().span);
      showBand(undefined);
      if (chosen === undefined) return false;
      onZoom?.(chosen.fromMs, chosen.toMs);
      return true;
    },
    cancel: () => {
      drag.cancel();
      showBand(undefined);
    },
  };
};

function writeSummary(element: HTMLElement | null, model: PlotModel): void {
  if (element !== null) element.textContent = model.summary();
}

const xIn = ({ clientX }: { clientX: number }, chart: Element) =>
  clientX - chart.getBoundingClientRect().left;
