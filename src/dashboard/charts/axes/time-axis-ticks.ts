import type { TimeSpan } from '../live/live-window.ts';
import { formatTick, tickLabelLength } from './time-format.ts';
import { lengthMs, timeTicks } from './time-ticks.ts';
import type { TimeZone } from './wall-clock.ts';

/** Of a tick label in the font of the axes, in CSS pixels. */
const CHARACTER_PX = 6.4;
const LABEL_GAP_PX = 14;
const MIN_STEP_PX = 28;

/** As many round times as have room for their labels on an axis of so many pixels, and the labels. */
export function timeAxisTicks(
  span: TimeSpan,
  zone: TimeZone,
  plotWidth: number,
  rightRoom: number,
  locale?: string,
): { ticks: number[]; labels: string[] } {
  const pxPerMs = plotWidth / (span.toMs - span.fromMs);
  const { step, ticks } = timeTicks(span, zone, (candidate) => {
    const stepPx = lengthMs(candidate) * pxPerMs;
    // Most steps are ruled out by their length alone.
    if (stepPx < MIN_STEP_PX) return false;
    return stepPx >= tickLabelLength(candidate, span.fromMs, zone, locale) * CHARACTER_PX + LABEL_GAP_PX;
  });
  const labels = ticks.map((ms) => {
    const text = formatTick(ms, step, zone, locale);
    // A label that would be cut off at the right is left out; its line stays.
    const roomPx = (span.toMs - ms) * pxPerMs + rightRoom;
    return roomPx < (text.length * CHARACTER_PX) / 2 ? '' : text;
  });
  return { ticks: [...ticks], labels };
}
