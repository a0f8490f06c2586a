/** A sender that is as far ahead of the clock as this gets the time of the clock again. */
const MOST_AHEAD_MS = 60_000;
const MAX_DEVICES = 100_000;
/** Metrics of a device at one stamp: the next metric gets the next millisecond. */
const MAX_METRICS = 1_000;
/** What was stamped so long ago cannot meet what comes now. */
const OVER_AFTER_MS = 1_000;

export type SampleStamps = {
  /** The time of a sample that has none: when it was received, or as much later as it takes to stand beside others. */
  stamp(channelId: string, device: string, metrics: readonly string[], receivedAtMs: number): number;
  /** Forgets earlier stamps, after a jump of the clock. */
  reset(): void;
};

/**
 * Stamps samples without a time so that none takes the place of another: of two values of one metric that a pipeline
 * receives within a millisecond, the second is a millisecond later. The same messages get the same stamps in every
 * pipeline that takes them. Times are epoch ms.
 */
export const createSampleStamps = (): SampleStamps => {
  const last = new Map<string, { stampMs: number; metrics: Set<string> }>();

  const forget = (nowMs: number) => {
    for (const [key, { stampMs }] of last) if (stampMs < nowMs - OVER_AFTER_MS) last.delete(key);
    if (last.size > MAX_DEVICES) last.clear();
  };

  return {
    stamp: (channelId, device, metrics, receivedAtMs) => {
      const key = `${channelId} ${device}`;
      const before = last.get(key);
      const isFree =
        before === undefined ||
        receivedAtMs > before.stampMs ||
        before.stampMs - receivedAtMs > MOST_AHEAD_MS;
      if (isFree) last.set(key, { stampMs: receivedAtMs, metrics: new Set(metrics) });
      else if (before.metrics.size >= MAX_METRICS || metrics.some((metric) => before.metrics.has(metric)))
        last.set(key, { stampMs: before.stampMs + 1, metrics: new Set(metrics) });
      else for (const metric of metrics) before.metrics.add(metric);
      if (last.size > MAX_DEVICES) forget(receivedAtMs);
      return last.get(key)?.stampMs ?? receivedAtMs;
    },
    reset: () => last.clear(),
  };
};
