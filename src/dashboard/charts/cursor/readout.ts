import type { TimeSpan } from '../live/live-window.ts';
import type { RowReading } from '../draw/plot-model.ts';
import { formatMoment, formatRange } from '../axes/time-format.ts';
import type { TimeZone } from '../axes/wall-clock.ts';

/** Below this span fractions of a second tell something. */
const FRACTIONS_BELOW_MS = 600_000;

/** The time at the top of the readout: that of the nearest point, which for a bucket is a range, else the cursor's own. */
export function readoutTime(
  readings: readonly (RowReading | undefined)[],
  cursorMs: number,
  span: TimeSpan,
  zone: TimeZone,
  locale?: string,
): string {
  const nearest = nearestReading(readings, cursorMs);
  if (nearest === undefined) {
    return formatMoment(cursorMs, Math.max(1_000, (span.toMs - span.fromMs) / 1_000), zone, locale);
  }
  if (nearest.bucketMs >= 1_000) {
    return formatRange(nearest.startMs, nearest.startMs + nearest.bucketMs, zone, locale);
  }
  const hasFraction = nearest.timeMs % 1_000 !== 0 && span.toMs - span.fromMs < FRACTIONS_BELOW_MS;
  return formatMoment(nearest.timeMs, hasFraction ? 1 : 1_000, zone, locale);
}

function nearestReading(
  readings: readonly (RowReading | undefined)[],
  cursorMs: number,
): RowReading | undefined {
  let nearest: RowReading | undefined;
  for (const reading of readings) {
    if (reading === undefined) continue;
    if (nearest === undefined || Math.abs(reading.timeMs - cursorMs) < Math.abs(nearest.timeMs - cursorMs))
      nearest = reading;
  }
  return nearest;
}
