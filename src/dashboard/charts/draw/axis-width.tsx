import { createContext, use, useLayoutEffect, useMemo, useState, type ReactNode } from 'react';
import type { LiveSource } from '../live/live-window.ts';
import type { TimeSpan } from '../series/time-span.ts';

/** In CSS pixels: room for labels of about six characters. */
const MIN_PX = 46;
/** Longer labels get room in steps of two digits, so that the charts seldom move. */
const STEP_PX = 14;
/** Between a value axis and its labels, in CSS pixels. */
export const LABEL_GAP = 8;
/** The first glyph of a label begins about a pixel after its start. */
const BEARING_PX = 1;

/** The width of a character of a label, in CSS pixels and at most. Measuring each label would slow live charts. */
const characterPx = (character: string): number => {
  if (/[\d+−]/.test(character)) return 7;
  if (/[\s.,'’]/.test(character)) return 3.5;
  if (character === '-') return 5;
  return /[kTPE]/.test(character) ? 7.5 : 10;
};

/** The width of a value axis whose labels all fit, in CSS pixels. */
export const axisWidthFor = (labels: readonly string[]): number => {
  const lengths = labels.map((label) => Array.from(label, characterPx).reduce((sum, px) => sum + px, 0));
  const neededPx = Math.max(0, ...lengths) + LABEL_GAP - BEARING_PX;
  return MIN_PX + Math.max(0, Math.ceil((neededPx - MIN_PX) / STEP_PX)) * STEP_PX;
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
