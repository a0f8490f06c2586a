import type { TelemetryAnswer } from '#contract/telemetry.ts';

/** How many samples stand behind an answer, in buckets or as they are. */
export const samplesIn = ({ series }: TelemetryAnswer): number =>
  series.reduce(
    (total, { ts, count }) => total + (count === undefined ? ts.length : count.reduce((a, b) => a + b, 0)),
    0,
  );
