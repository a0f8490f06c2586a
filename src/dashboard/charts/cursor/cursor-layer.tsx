import {
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
} from 'react';
import { CursorMark, type CursorParts } from './cursor-mark.ts';
import { pageCursor } from './cursor.ts';
import { formatRange } from '../axes/format-moment.ts';
import { toValue } from '../axes/linear-scale.ts';
import { movedBy, zoomedBy } from './cursor-keys.ts';
import { DragZoom, placeBand } from './drag-zoom.ts';
import type { PlotHandle } from '../draw/plot-geometry.ts';
import type { Plot, PlotModel } from '../draw/plot-model.ts';
import { seriesColour } from '../series/series-style.ts';
import { SeriesSwatch } from '../series/series-swatch.tsx';
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

/** More rows would cover the chart; the legend and the table show all. */
const MAX_ROWS = 10;
const SPEAK_AFTER_MS = 250;

/** The line, the dots, the readout and the dragged range that follow the pointer or the arrow keys. */
export function CursorLayer(props: CursorLayerProps) {
  const { label, plot, isNarrow, timeZone, isSeen, handle, onZoom } = props;
  const { rows, modelOf, store } = plot;
  const [origin] = useState(() => Symbol(label));
  const [mark] = useState(() => new CursorMark());
  const parts = useRef<CursorParts>({ line: null, box: null, time: null, values: [], ranges: [], dots: [] });
  const summary = useRef<HTMLParagraphElement>(null);
  const spoken = useRef<HTMLParagraphElement>(null);
  const speakTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const summaryId = useId();
  const band = useRef<HTMLDivElement>(null);
  const [drag] = useState(() => new DragZoom());

  const show = useEffectEvent(() => {
    const view = store.get();
    const { span } = view;
    const position = pageCursor.position();
    const isInside = position !== null && position.timeMs >= span.fromMs && position.timeMs <= span.toMs;
    const cursor = isInside ? { timeMs: position.timeMs, isOwn: position.origin === origin } : null;
    mark.render(parts.current, handle.geometry, rows, modelOf(view), span, timeZone, cursor);
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
  useEffect(() => {
    writeSummary(summary.current, modelOf(store.get()));
  }, [modelOf, store]);

  const pointTo = (x: number) => {
    if (handle.geometry === undefined) return;
    const { span } = store.get();
    const timeMs = toValue(handle.geometry.x, x);
    pageCursor.moveTo(Math.min(span.toMs, Math.max(span.fromMs, timeMs)), origin);
  };
  const showBand = (x: number | undefined) => {
    const { geometry } = handle;
    if (band.current === null || geometry === undefined) return;
    placeBand(band.current, geometry, x === undefined ? undefined : drag.stretch(geometry, x));
  };

  const speak = (words: () => string) => {
    clearTimeout(speakTimer.current);
    // Announced only after the last of several keys.
    speakTimer.current = setTimeout(() => {
      if (spoken.current !== null) spoken.current.textContent = words();
    }, SPEAK_AFTER_MS);
  };
  useEffect(() => () => clearTimeout(speakTimer.current), []);

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

  const shown = rows.slice(0, MAX_ROWS);
  const more = rows.length - shown.length;

  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application does interact */}
      <div
        // The chart handles the keys itself, so a screen reader must pass them on.
        role="application"
        aria-roledescription="chart"
        aria-label={label}
        aria-describedby={summaryId}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys read the chart
        tabIndex={0}
        className="absolute inset-0 cursor-crosshair touch-pan-y select-none"
        onKeyDown={onKeyDown}
        // New samples may have arrived since the summary was written.
        onFocus={() => writeSummary(summary.current, modelOf(store.get()))}
        onBlur={() => pageCursor.leave(origin)}
        onPointerDown={(event) => {
          const x = xIn(event);
          if (event.pointerType === 'touch') {
            event.currentTarget.focus({ preventScroll: true });
          } else if (onZoom !== undefined && event.button === 0 && handle.geometry !== undefined) {
            drag.start(handle.geometry, x);
            event.currentTarget.setPointerCapture(event.pointerId);
          }
          pointTo(x);
        }}
        onPointerMove={(event) => {
          const x = xIn(event);
          if (drag.isActive) showBand(x);
          pointTo(x);
        }}
        onPointerUp={(event) => {
          const chosen =
            handle.geometry === undefined
              ? undefined
              : drag.end(handle.geometry, xIn(event), store.get().span);
          showBand(undefined);
          if (chosen !== undefined) onZoom?.(chosen.fromMs, chosen.toMs);
        }}
        onPointerCancel={() => {
          drag.cancel();
          showBand(undefined);
        }}
        onPointerLeave={(event) => {
          // The readout stays after a touch ends.
          if (event.pointerType !== 'touch') pageCursor.leave(origin);
        }}
      >
        <div ref={band} hidden className="pointer-events-none absolute border-x border-accent bg-accent/15" />
        <div
          ref={(element) => {
            parts.current.line = element;
          }}
          hidden
          className="keeps-colour pointer-events-none absolute left-0 w-px bg-muted/60"
        />
        {shown.map((row, index) => (
          <div
            key={row.id}
            ref={(element) => {
              parts.current.dots[index] = element;
            }}
            hidden
            className="keeps-colour pointer-events-none absolute top-0 left-0 -mt-1 -ml-1 size-2 rounded-full border border-surface"
            style={{ backgroundColor: seriesColour(row.colour) }}
          />
        ))}
        <div
          ref={(element) => {
            parts.current.box = element;
          }}
          hidden
          className="tabular pointer-events-none absolute left-0 z-10 max-w-full rounded-sm bg-raised/95 px-2 py-1.5 text-xs shadow-pop"
        >
          <div
            ref={(element) => {
              parts.current.time = element;
            }}
            className="pb-0.5 whitespace-nowrap text-muted"
          />
          {shown.map((row, index) => (
            <div key={row.id} className="flex items-center gap-1.5">
              <SeriesSwatch series={row} />
              <span className={`truncate text-muted ${isNarrow ? 'max-w-28' : 'max-w-60'}`}>{row.label}</span>
              <span
                ref={(element) => {
                  parts.current.values[index] = element;
                }}
                className="ml-auto pl-2 whitespace-nowrap text-ink"
              />
              <span
                ref={(element) => {
                  parts.current.ranges[index] = element;
                }}
                className={isNarrow ? 'hidden' : 'whitespace-nowrap text-muted empty:hidden'}
              />
            </div>
          ))}
          {more > 0 ? <div className="text-faint">and {more} more</div> : null}
        </div>
      </div>
      <p ref={summary} id={summaryId} className="sr-only" />
      <p ref={spoken} aria-live="polite" className="sr-only" />
    </>
  );
}

function writeSummary(element: HTMLElement | null, model: PlotModel): void {
  if (element !== null) element.textContent = model.summary();
}

const xIn = (event: PointerEvent) => event.clientX - event.currentTarget.getBoundingClientRect().left;
