import { seriesAt } from '../../telemetry/store/sample-columns.ts';
import type { SampleCollector } from '../../telemetry/write/sample-collector.ts';

/** If stamps are this far ahead of the clock, they start again at the time of the clock. */
const MOST_AHEAD_MS = 60_000;
/** Each takes about 350 bytes. Above it, old stamps are dropped, or all if none is old. */
const MAX_DEVICES = 20_000;
/** Number of metrics of a device at one stamp. Further metrics get the next millisecond. */
const MAX_METRICS = 1_000;
/** Stamps older than this cannot collide with new ones. */
const OVER_AFTER_MS = 1_000;

export type SampleStamps = {
  /** The timestamp of a group without one: the time of receipt, or the next free millisecond after it. */
  stamp(channelId: string, device: string, metrics: readonly string[], receivedAtMs: number): number;
  /** Drops earlier stamps after a jump of the clock. */
  reset(): void;
};

/**
 * Assigns timestamps to samples without one, so that none overwrites another: of two samples of a metric that a pipeline
 * receives within a millisecond, the second gets the next millisecond. The same messages get the same stamps in every
 * pipeline that receives them. Times are epoch ms.
 */
export const createSampleStamps = (): SampleStamps => {
  const last = new Map<string, { stampMs: number; metrics: Set<string> }>();

  const dropOldStamps = (nowMs: number) => {
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
      if (last.size > MAX_DEVICES) dropOldStamps(receivedAtMs);
      return last.get(key)?.stampMs ?? receivedAtMs;
    },
    reset: () => last.clear(),
  };
};

/** Sets the timestamps of the groups without one, from position `from` of the columns on. */
export const stampSamples = (
  { series, index, groupOf, ts, length }: SampleCollector,
  from: number,
  stampOf: (device: string, metrics: readonly string[]) => number,
): void => {
  for (let i = from, end = from; i < length; i = end) {
    end += 1;
    if (!Number.isNaN(ts[i])) continue;
    const { device, metric } = seriesAt(series, index[i]!);
    const metrics = [metric];
    for (; end < length && groupOf[end] === groupOf[i]; end += 1)
      metrics.push(seriesAt(series, index[end]!).metric);
    ts.fill(stampOf(device, metrics), i, end);
  }
};
