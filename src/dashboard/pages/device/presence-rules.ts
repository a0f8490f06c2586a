import type { Device } from '#contract/devices.ts';

/** As the service reckons: three intervals, at the least a minute; five minutes where no interval is known. */
export const lateAfterSeconds = ({
  expectedInterval,
  learnedInterval,
}: Pick<Device, 'expectedInterval' | 'learnedInterval'>): number => {
  const interval = expectedInterval ?? learnedInterval;
  return interval === null ? 300 : Math.max(3 * interval, 60);
};
