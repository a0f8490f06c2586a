import { useMemo } from 'react';
import { stateRowPx } from './draw/draw-states.ts';
import type { LiveSource } from './live/live-window.ts';
import { FRAME } from './draw/plot-frame.tsx';
import { PlotPanel } from './plot-panel.tsx';
import { createLiveView, fixedView } from './draw/plot-view.ts';
import type { StateSeries } from './series/series.ts';
import { stateModel, stateViewOf } from './state-plot.ts';
import type { TimeZone } from './axes/wall-clock.ts';

export interface StateTimelineProps {
  series: readonly StateSeries[];
  /** Epoch ms; in live mode, `live` defines the window. */
  fromMs: number;
  toMs: number;
  timeZone: TimeZone;
  hidden?: ReadonlySet<string>;
  onZoom?: (fromMs: number, toMs: number) => void;
  live?: LiveSource;
  label: string;
}

const TOP_PX = 4;
const ROOM = { top: TOP_PX, right: FRAME.right } as const;

/** Booleans and strings over time, one row per series. Lines up with charts of one axis. */
export function StateTimeline({
  series,
  fromMs,
  toMs,
  timeZone,
  hidden,
  onZoom,
  live,
  label,
}: StateTimelineProps) {
  const visible = useMemo(() => series.filter(({ id }) => !(hidden?.has(id) ?? false)), [series, hidden]);
  const store = useMemo(
    () => (live === undefined ? fixedView({ fromMs, toMs }, stateViewOf) : createLiveView(live, stateViewOf)),
    [live, fromMs, toMs],
  );
  const modelOf = useMemo(() => stateModel({ series: visible, live }), [visible, live]);

  return (
    <PlotPanel
      label={label}
      height={TOP_PX + Math.max(1, visible.length) * stateRowPx + FRAME.bottom}
      store={store}
      rows={visible}
      modelOf={modelOf}
      leftUnit={null}
      rightUnit={undefined}
      showsValues={false}
      room={ROOM}
      timeZone={timeZone}
      live={live}
      onZoom={onZoom}
    />
  );
}
