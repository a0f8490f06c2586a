import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { TelemetryFrame } from '#contract/stream.ts';
import { LIMITS } from '#contract/sample-rules.ts';
import { telemetryApi, type TelemetryAnswer } from '#contract/telemetry.ts';
import { toTimeText } from '#contract/time-range.ts';
import { call } from '../../api/client.ts';
import { useLiveSeries } from '../../api/live/use-live.ts';
import { COMBINED_DEVICE } from '../../charts/series/series.ts';
import type { LiveWindow } from '../../charts/live/live-window.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { DRAWN } from './telemetry-queries.ts';

type Followed = {
  devices: readonly string[];
  metrics: readonly string[];
  /** Undefined until it is read. */
  history: TelemetryAnswer | undefined;
  /** Reads the history again, if the samples after it cannot be read. */
  onGap: () => void;
};

/** The time of the service is known to 3 s. */
const CLOCK_MS = 4_000;
/** Samples that arrive later than their timestamp by less than this are not missed. Raw samples twice are one. */
const LATE_MS = 60_000;
/** Frames that wait for the samples before them: a minute. */
const MAX_WAITING = 240;

/** The samples since a history, as a frame. Buckets begin where the history ends: their samples cannot be told apart. */
const readSince = async (
  history: TelemetryAnswer,
  { devices, metrics }: Pick<Followed, 'devices' | 'metrics'>,
  signal: AbortSignal,
): Promise<TelemetryFrame> => {
  const fromMs = history.bucketMs === null ? Math.max(history.from, history.to - LATE_MS) : history.to;
  const { series, bucketMs } = await call(telemetryApi.query, {
    body: {
      devices: [...devices],
      metrics: [...metrics],
      from: toTimeText(fromMs),
      to: 'now',
      points: LIMITS.pointsPerSeries,
      agg: [...DRAWN],
    },
    signal,
  });
  const numbers = (column: readonly (number | null)[] = []) => column.map((each) => each ?? Number.NaN);
  return {
    series: series.map(({ device: id, metric, kind, ts, value, avg, min, max, count, last }) => {
      const device = id ?? COMBINED_DEVICE;
      return bucketMs === null
        ? { device, metric, ts, value: value ?? [] }
        : kind === 'number'
          ? { device, metric, ts, value: numbers(avg), min: numbers(min), max: numbers(max), count, bucketMs }
          : { device, metric, ts, value: last ?? [], bucketMs };
    }),
  };
};

/**
 * Appends new samples of these series to a live window. The stream opens later than the history is read: the samples in
 * between are read once, and frames wait for them.
 */
export const useFollowedSeries = (live: LiveWindow | undefined, followed: Followed): void => {
  const { devices, metrics, history } = followed;
  const waiting = useRef<TelemetryFrame[] | null>(null);
  const [openedAtMs, setOpenedAtMs] = useState<number | null>(null);

  const release = () => {
    const frames = waiting.current ?? [];
    waiting.current = null;
    for (const frame of frames) live?.append(frame);
  };
  useLiveSeries(
    live === undefined ? [] : devices,
    metrics,
    (frame) => {
      if (waiting.current === null) return live?.append(frame);
      waiting.current.push(frame);
      if (waiting.current.length > MAX_WAITING) release();
      return undefined;
    },
    () => {
      waiting.current ??= [];
      setOpenedAtMs(nowMs());
    },
  );

  const follow = useEffectEvent((since: TelemetryAnswer, openedMs: number, signal: AbortSignal) => {
    const end = () => {
      release();
      setOpenedAtMs(null);
    };
    if (since.to > openedMs + CLOCK_MS) return end();
    void readSince(since, followed, signal)
      .then(
        (frame) => live?.append(frame),
        () => (signal.aborted ? undefined : followed.onGap()),
      )
      .finally(() => (signal.aborted ? undefined : end()));
    return undefined;
  });
  useEffect(() => {
    if (live === undefined || history === undefined || openedAtMs === null) return undefined;
    const controller = new AbortController();
    follow(history, openedAtMs, controller.signal);
    return () => controller.abort();
  }, [live, history, openedAtMs]);
};
