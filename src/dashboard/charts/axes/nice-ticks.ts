import type { Extent } from '../tracks/track.ts';

export interface NiceScale {
  domain: readonly [number, number];
  ticks: readonly number[];
  step: number;
}

const STEPS = [1, 2, 2.5, 5, 10, 20, 25, 50];
/** Beyond these values a double loses too much precision. */
const TINY = 1e-80;
const HUGE = 1e290;

/** A domain that ends on round ticks and contains `extent`, with at most `maxTicks` of them (3 or more). */
export function niceScale(extent: Extent | undefined, maxTicks: number): NiceScale {
  const [min, max] = widened(extent ?? [0, 1]);
  const most = Math.max(3, maxTicks);
  const rough = (max - min) / (most - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const scales = STEPS.map((factor) => scaleOf(min, max, factor * power));
  return scales.find(({ ticks }) => ticks.length <= most) ?? scales.at(-1)!;
}

/** A constant series gets a domain around it, a missing one 0 to 1. */
function widened(extent: Extent): Extent {
  const [min, max] = [clamped(extent[0]), clamped(extent[1])];
  const size = Math.max(Math.abs(min), Math.abs(max));
  if (size < TINY) return [0, 1];
  if (max - min > size * 1e-12) return [min, max];
  const margin = size * 0.1;
  return [min - margin, max + margin];
}

const clamped = (value: number) => Math.min(HUGE, Math.max(-HUGE, value));

function scaleOf(min: number, max: number, step: number): NiceScale {
  const first = Math.floor(settled(min / step));
  return scaleFrom(first, Math.ceil(settled(max / step)) - first + 1, step);
}

function scaleFrom(first: number, count: number, step: number): NiceScale {
  const decimals = Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(step))));
  // 3 × 0.1 is 0.30000000000000004, and -0 would be shown as “-0”.
  const ticks = Array.from({ length: count }, (_, i) => Number(((first + i) * step).toFixed(decimals)) + 0);
  return { domain: [ticks[0]!, ticks.at(-1)!], ticks, step };
}

/** A ratio that is an integer apart from rounding. */
const settled = (ratio: number) => (Math.abs(ratio - Math.round(ratio)) < 1e-9 ? Math.round(ratio) : ratio);

/** Like `niceScale`, with exactly `count` ticks (3 or more), so that a second axis shares the grid of the first. */
export function alignedScale(extent: Extent | undefined, tickCount: number): NiceScale {
  const [min, max] = widened(extent ?? [0, 1]);
  const count = Math.max(3, tickCount);
  const power = 10 ** Math.floor(Math.log10((max - min) / (count - 1)));
  const steps = STEPS.map((factor) => factor * power);
  const step = steps.find((each) => scaleOf(min, max, each).ticks.length <= count) ?? steps.at(-1)!;
  return scaleFrom(Math.floor(settled(min / step)), count, step);
}

/**
 * The next scale as values change: keeps the current one while the values fit it and use more than a third of it, so
 * that the axis neither jumps with each sample nor stays stretched after a spike.
 */
export function steadyScale(
  current: NiceScale | undefined,
  extent: Extent | undefined,
  fresh: (extent: Extent | undefined) => NiceScale,
): NiceScale {
  if (current === undefined) return fresh(extent);
  if (extent === undefined) return current;
  const [low, high] = current.domain;
  const isInside = extent[0] >= low && extent[1] <= high;
  if (!isInside) return fresh(extent);
  const next = fresh(extent);
  return next.domain[1] - next.domain[0] > (high - low) / 3 ? current : next;
}
