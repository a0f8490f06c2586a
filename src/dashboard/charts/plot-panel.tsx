import { useState, useEffect } from 'react';
import { CanvasLayer } from './draw/canvas-layer.tsx';
import { CursorLayer } from './cursor/cursor-layer.tsx';
import { LABEL_GAP, useAxisWidth } from './draw/axis-width.tsx';
import { PlotFrame, type PlotFrameOptions } from './draw/plot-frame.tsx';
import { PlotHandle } from './draw/plot-geometry.ts';
import type { Plot } from './draw/plot-model.ts';
import { useElementWidth } from '../ui/browser/use-element-size.ts';
import type { TimeZone } from '../ui/format/intl-formats.ts';

interface PlotPanelProps {
  label: string;
  height: number;
  plot: Plot;
  frame: PlotFrameOptions;
  timeZone: TimeZone;
  onZoom: ((fromMs: number, toMs: number) => void) | undefined;
}

/** Below this width the readout is shortened. Not a container query: each would compute styles of its own when the pointer moves. */
const NARROW_PX = 560;

/** One plot: axes, the canvas over them, and the cursor over both. Its height is known before its width or its data. */
export function PlotPanel({ label, height, plot, frame, timeZone, onZoom }: PlotPanelProps) {
  const { leftUnit, rightUnit } = frame;
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [host, setHost] = useState<HTMLElement | null>(null);
  const [handle] = useState(() => new PlotHandle());
  const width = useElementWidth(element);
  const isSeen = useOnScreen(element);

  return (
    <div ref={setElement} className="relative w-full overflow-x-clip" style={{ height }}>
      {width > 0 ? (
        <>
          <div aria-hidden="true">
            <PlotFrame
              width={width}
              height={height}
              store={plot.store}
              isSeen={isSeen}
              timeZone={timeZone}
              frame={frame}
            >
              {host === null ? null : (
                <CanvasLayer width={width} host={host} plot={plot} isSeen={isSeen} handle={handle} />
              )}
            </PlotFrame>
            <div ref={setHost} className="pointer-events-none absolute inset-0" />
            {leftUnit === null ? null : <UnitCaption side="left" unit={leftUnit} insetPx={0} />}
            {rightUnit === null || rightUnit === undefined ? null : (
              <UnitCaption side="right" unit={rightUnit} insetPx={frame.room.labels ?? 0} />
            )}
          </div>
          <CursorLayer
            label={label}
            plot={plot}
            isNarrow={width < NARROW_PX}
            timeZone={timeZone}
            isSeen={isSeen}
            handle={handle}
            onZoom={onZoom}
          />
        </>
      ) : null}
    </div>
  );
}

/** The unit above its axis, or the names of its series, aligned with the tick labels; a long one extends inwards. */
function UnitCaption({ side, unit, insetPx }: { side: 'left' | 'right'; unit: string; insetPx: number }) {
  const axisWidth = useAxisWidth();
  return (
    <div
      data-unit={side}
      className={`absolute top-0 max-w-[48%] truncate text-[11px]/4 text-faint ${side === 'left' ? 'text-right' : 'text-left'}`}
      style={{ [side]: insetPx, minWidth: axisWidth - LABEL_GAP }}
    >
      {unit}
    </div>
  );
}

/** Whether the element is visible: scrolled into view, in a visible tab. */
function useOnScreen(element: Element | null): boolean {
  const [isInView, setIsInView] = useState(false);
  const [isShown, setIsShown] = useState(!document.hidden);

  useEffect(() => {
    if (element === null) return undefined;
    // Starts to draw shortly before the element scrolls into view.
    const observer = new IntersectionObserver(
      (entries) => setIsInView(entries.at(-1)?.isIntersecting ?? false),
      { rootMargin: '100px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);

  useEffect(() => {
    const update = () => setIsShown(!document.hidden);
    document.addEventListener('visibilitychange', update);
    return () => document.removeEventListener('visibilitychange', update);
  }, []);

  return isInView && isShown;
}
