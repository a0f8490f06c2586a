import { useState, useSyncExternalStore } from 'react';
import { CanvasLayer } from './canvas-layer.tsx';
import { CursorLayer } from './cursor-layer.tsx';
import type { LiveSource } from './live-window.ts';
import { tickFormat } from './number-format.ts';
import { FRAME, PlotFrame } from './plot-frame.tsx';
import { PlotHandle } from './plot-handle.ts';
import type { PlotModel } from './plot-model.ts';
import type { ViewStore } from './plot-view.ts';
import { formatTick, tickLabelLength } from './time-format.ts';
import { lengthMs, timeTicks } from './time-ticks.ts';
import { useElementWidth } from './use-element-width.ts';
import { useOnScreen } from './use-on-screen.ts';
import type { TimeZone } from './wall-clock.ts';

interface PlotPanelProps {
  label: string;
  height: number;
  store: ViewStore;
  modelOf: (view: ReturnType<ViewStore['get']>) => PlotModel;
  leftUnit: string | null;
  rightUnit: string | null;
  showsValues: boolean;
  room: { top: number; right: number };
  timeZone: TimeZone;
  live: LiveSource | undefined;
  onZoom: ((fromMs: number, toMs: number) => void) | undefined;
}

/** Of a tick label in the font of the axes, in CSS pixels. */
const CHARACTER_PX = 6.4;
const LABEL_GAP_PX = 14;

const never = () => () => undefined;

/** One plot: axes, the canvas over them, and the cursor over both. Its height is known before its width or its data. */
export function PlotPanel(props: PlotPanelProps) {
  const { label, height, store, modelOf, leftUnit, rightUnit, showsValues, room, timeZone, live, onZoom } =
    props;
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [host, setHost] = useState<HTMLElement | null>(null);
  const [handle] = useState(() => new PlotHandle());
  const width = useElementWidth(element);
  const isOnScreen = useOnScreen(element);
  const view = useSyncExternalStore(isOnScreen ? store.subscribe : never, store.get);
  const model = modelOf(view);

  const { span, left, right } = view;
  const plotWidth = Math.max(
    1,
    width - FRAME.axisWidth - (right === undefined ? room.right : FRAME.axisWidth),
  );
  const pxPerMs = plotWidth / (span.toMs - span.fromMs);
  const { step, ticks } = timeTicks(span, timeZone, (candidate) => {
    // Most steps are ruled out by their length alone.
    const roomPx = lengthMs(candidate) * pxPerMs;
    return (
      roomPx > 2 * LABEL_GAP_PX &&
      roomPx >= tickLabelLength(candidate, span.fromMs, timeZone) * CHARACTER_PX + LABEL_GAP_PX
    );
  });
  const formatTime = (ms: number) => {
    const text = formatTick(ms, step, timeZone);
    // A label that would be cut off at the right is left out; its line stays.
    const roomPx = width - FRAME.axisWidth - (ms - span.fromMs) * pxPerMs;
    return roomPx < (text.length * CHARACTER_PX) / 2 ? '' : text;
  };

  return (
    <div ref={setElement} className="@container relative w-full overflow-x-clip" style={{ height }}>
      {width > 0 ? (
        <>
          <div aria-hidden="true">
            <PlotFrame
              width={width}
              height={height}
              span={span}
              timeTicks={ticks}
              formatTime={formatTime}
              left={{ ...left, format: tickFormat(left.ticks, left.step) }}
              right={
                right === undefined ? undefined : { ...right, format: tickFormat(right.ticks, right.step) }
              }
              showsValues={showsValues}
              room={room}
            >
              {host === null ? null : (
                <CanvasLayer
                  host={host}
                  model={model}
                  view={view}
                  live={live}
                  isOnScreen={isOnScreen}
                  handle={handle}
                />
              )}
            </PlotFrame>
            <div ref={setHost} className="pointer-events-none absolute inset-0" />
            {leftUnit === null ? null : <UnitCaption side="left" unit={leftUnit} />}
            {rightUnit === null || right === undefined ? null : <UnitCaption side="right" unit={rightUnit} />}
          </div>
          <CursorLayer
            label={label}
            model={model}
            span={span}
            timeZone={timeZone}
            isOnScreen={isOnScreen}
            handle={handle}
            onZoom={onZoom}
          />
        </>
      ) : null}
    </div>
  );
}

/** Stands over its axis, flush with the tick labels; a long unit grows inwards. */
function UnitCaption({ side, unit }: { side: 'left' | 'right'; unit: string }) {
  return (
    <div
      className={`absolute top-0 min-w-9.5 text-[11px]/4 whitespace-nowrap text-faint ${side === 'left' ? 'left-0 text-right' : 'right-0 text-left'}`}
    >
      {unit}
    </div>
  );
}
