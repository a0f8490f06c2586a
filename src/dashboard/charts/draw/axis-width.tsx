import { createContext, use, useLayoutEffect, useMemo, useState, type ReactNode } from 'react';
import type { LiveSource, TimeSpan } from '../live/live-window.ts';

/** In CSS pixels: room for labels of six characters. */
const LEAST_PX = 46;
const LEAST_CHARACTERS = 6;
/** Longer labels get room in steps of two characters, so that the charts seldom move. */
const STEP_CHARACTERS = 2;
const STEP_PX = 14;

/** The width of a value axis whose labels all fit, in CSS pixels. */
export const axisWidthFor = (labels: readonly string[]): number => {
  const longest = Math.max(LEAST_CHARACTERS, ...labels.map((label) => label.length));
  return LEAST_PX + Math.ceil((longest - LEAST_CHARACTERS) / STEP_CHARACTERS) * STEP_PX;
};

interface AxisWidth {
  px: number;
  /** Makes the axes at least this wide. */
  widen: (px: number) => void;
}

const AxisWidthContext = createContext<AxisWidth | null>(null);
const LEAST: AxisWidth = { px: LEAST_PX, widen: () => undefined };

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
  const [kept, setKept] = useState({ choice, px: LEAST_PX });
  if (kept.choice !== choice) setKept({ choice, px: LEAST_PX });
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
export function useAxisWidth(neededPx = LEAST_PX): number {
  const shared = use(AxisWidthContext) ?? LEAST;
  // Before the browser paints.
  useLayoutEffect(() => shared.widen(neededPx), [shared, neededPx]);
  return shared.px;
}
