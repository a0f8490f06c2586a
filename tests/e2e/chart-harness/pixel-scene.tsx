import type { NumberSeries } from '#dashboard/charts/series/series.ts';
import { TimeChart } from '#dashboard/charts/time-chart.tsx';
import { NOON } from './scenes.ts';

const MINUTE = 60_000;

/** The value is 10 until a tick of the time axis, then 30: the step shows the position of both axes. */
const step: NumberSeries = {
  id: 'step',
  label: 'Step',
  unit: null,
  colour: 1,
  kind: 'number',
  columns: {
    ts: [
      NOON,
      NOON + 10 * MINUTE,
      NOON + 30 * MINUTE,
      NOON + 30 * MINUTE + 1,
      NOON + 50 * MINUTE,
      NOON + 60 * MINUTE,
    ],
    value: [10, 10, 10, 30, 30, 30],
  },
};
/** Extends the value axis from 0 to 40. */
const frame: NumberSeries = {
  ...step,
  id: 'frame',
  colour: 2,
  columns: { ts: [NOON + MINUTE, NOON + 59 * MINUTE], value: [1, 39] },
};

export function PixelScene() {
  return (
    <TimeChart
      series={[step, frame]}
      time={{ fromMs: NOON, toMs: NOON + 60 * MINUTE, timeZone: 'utc' }}
      height={260}
      label="Step"
      options={{ connectGapMs: 25 * MINUTE }}
    />
  );
}
