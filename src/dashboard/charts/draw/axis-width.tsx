import { createContext, use, useLayoutEffect, useMemo, useState, type ReactNode } from 'react';
import type { LiveSource, TimeSpan } from '../live/live-window.ts';

/** In CSS pixels: room for labels of six characters. */
const MIN_PX = 46;
const MIN_CHARACTERS = 6;
/** Longer labels get room in steps of two characters, so that the charts seldom move. */
const STEP_CHARACTERS = 2;
const STEP_PX = 14;

/** The width of a value axis whose labels all fit, in CSS pixels. */
export const axisWidthFor = (labels: readonly string[]): number => {
  const longest = Math.max(MIN_CHARACTERS, ...labels.map((label) => label.length));
  return MIN_PX + Math.ceil((longest - MIN_CHARACTERS) / STEP_CHARACTERS) * STEP_PX;
};

interface AxisWidth {
  px: number;
  /** Makes the axes at least this wide. */
  widen: (px: number) => void;
}

const AxisWidthContext = createContext<AxisWidth | null>(null);
const NARROWEST: AxisWidth = { px: MIN_PX, widen: () => undefined };

/** The choice of a width: it stays while the same series follow live samples. */
export const axisChoice = (
  series: readonly { id: string }[],
  { fromMs, toMs, live }: TimeSpan & { live?: LiveSource | undefined },
): string => JSON.stringify([series.map(({ id }) => id), live === undefined ? [fromMs, toMs] : 'live']);

interface AxisWidthProviderProps {
  /** Of `axisChoice`: the width is chosen again when it changes. */
  choice: string;
  children: ReactNode;
}

/**
 * Value axes of one width, so that charts below each other line up. It grows with the longest label and is kept until
 * the choice changes, so that nothing moves back and forth with the values. Within another provider, it uses that one.
 */
export function AxisWidthProvider({ choice, children }: AxisWidthProviderProps) {
  const outer = use(AxisWidthContext);
  const [kept, setKept] = useState({ choice, px: MIN_PX });
  if (kept.choice !== choice) setKept({ choice, px: MIN_PX });
  const own = useMemo(
    (): AxisWidth => ({
      px: kept.px,
      widen: (px) => setKept((before) => (px > before.px ? { ...before, px } : before)),
    }),
    [kept],
  );
  return <AxisWidthContext value={outer ?? own}>{children}</AxisWidthContext>;
}

/** The width of the value axes, in CSS pixels; with `neededPx`, at least that. */
export function useAxisWidth(neededPx = MIN_PX): number {
  const shared = use(AxisWidthContext) ?? NARROWEST;
  // Before the browser paints.
  useLayoutEffect(() => shared.widen(neededPx), [shared, neededPx]);
  return shared.px;
}
