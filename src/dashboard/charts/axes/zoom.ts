import type { TimeSpan } from '../live/live-window.ts';

const FACTOR = 2;
/** A window of a tenth of a second: samples are told apart by milliseconds. */
const MIN_SPAN_MS = 100;

/** Half the span, around a time that keeps its place on screen. */
export const zoomedIn = (span: TimeSpan, aroundMs: number): TimeSpan => scaled(span, aroundMs, 1 / FACTOR);

/** Twice the span. */
export const zoomedOut = (span: TimeSpan, aroundMs: number): TimeSpan => scaled(span, aroundMs, FACTOR);

function scaled({ fromMs, toMs }: TimeSpan, aroundMs: number, factor: number): TimeSpan {
  const widthMs = Math.max(MIN_SPAN_MS, (toMs - fromMs) * factor);
  const share = (aroundMs - fromMs) / (toMs - fromMs);
  const start = Math.round(aroundMs - share * widthMs);
  return { fromMs: start, toMs: start + Math.round(widthMs) };
}
