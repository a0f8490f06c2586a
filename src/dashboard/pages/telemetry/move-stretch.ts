import type { Stretch } from '../../resources/telemetry/time-range.ts';

/** Neighbouring stretches share a part, so that one finds one's place again. */
const STEP_SHARE = 0.5;
const FACTOR = 2;
const MIN_MS = 100;

const widthOf = ({ fromMs, toMs }: Stretch) => toMs - fromMs;

export const earlier = ({ fromMs, toMs }: Stretch): Stretch => {
  const step = Math.ceil(widthOf({ fromMs, toMs }) * STEP_SHARE);
  return { fromMs: fromMs - step, toMs: toMs - step };
};

export const later = ({ fromMs, toMs }: Stretch): Stretch => {
  const step = Math.ceil(widthOf({ fromMs, toMs }) * STEP_SHARE);
  return { fromMs: fromMs + step, toMs: toMs + step };
};

/** Around its middle, to so many times its width. */
const scaled = (stretch: Stretch, factor: number): Stretch => {
  const width = Math.max(MIN_MS, Math.round(widthOf(stretch) * factor));
  const fromMs = Math.round((stretch.fromMs + stretch.toMs - width) / 2);
  return { fromMs, toMs: fromMs + width };
};

export const closer = (stretch: Stretch): Stretch => scaled(stretch, 1 / FACTOR);
export const wider = (stretch: Stretch): Stretch => scaled(stretch, FACTOR);

/** How much of a stretch lies on the far side of the moment that it was taken for. */
const MARGIN_SHARE = 0.1;

/** A stretch of the same width in which a moment stands near the end: what led to it is in sight. */
export const endingNear = (stretch: Stretch, ms: number): Stretch => {
  const toMs = Math.ceil(ms + widthOf(stretch) * MARGIN_SHARE);
  return { fromMs: toMs - widthOf(stretch), toMs };
};

/** The same with the moment near the beginning. */
export const beginningNear = (stretch: Stretch, ms: number): Stretch => {
  const fromMs = Math.floor(ms - widthOf(stretch) * MARGIN_SHARE);
  return { fromMs, toMs: fromMs + widthOf(stretch) };
};
