import { useCallback, useEffect, useEffectEvent, useRef } from 'react';
import type { Event } from '#contract/events.ts';
import type { TelemetryFrame } from '#contract/stream.ts';
import { liveStatus, stateAfterFailures } from './live-status.ts';
import { backoffMs } from '../query-client.ts';

/** Retries with backoff until `load` succeeds, so that code whose download failed loads when the network is back. */
export const loadWithRetry = async <T>(
  load: () => Promise<T>,
  onFailure?: (tries: number) => void,
): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await load();
    } catch {
      onFailure?.(tries);
      await new Promise((resolve) => setTimeout(resolve, backoffMs(tries)));
    }
  }
};

type Stream = typeof import('./live-stream.ts');

let loading: Promise<Stream> | undefined;

/** The stream's code loads after the first page, which does not wait for it. */
const load = (): Promise<Stream> =>
  (loading ??= loadWithRetry(
    () => import('./live-stream.ts'),
    (tries) => liveStatus.set(stateAfterFailures(tries)),
  ));

type Stop = () => void;

/** Calls `start` when the stream's code is loaded. The returned function stops it, loaded or not. */
const whenLoaded = (start: (stream: Stream) => Stop): Stop => {
  let isStopped = false;
  let stop: Stop | undefined;
  const begin = async () => {
    const stream = await load();
    if (!isStopped) stop = start(stream);
  };
  void begin();
  return () => {
    isStopped = true;
    stop?.();
  };
};

export const retryLiveNow = () => void load().then(({ live }) => live.retryNow());

/** Keeps the stream open while mounted. */
export const useLiveStream = () => {
  useEffect(() => {
    liveStatus.recordLoad();
    return whenLoaded(({ live }) => live.start());
  }, []);
};

/** Keeps `lastSeenAt` of these devices up to date in the query cache. (States arrive for all devices anyway.) */
export const useLiveDevices = (devices: readonly string[]) => {
  const key = devices.join(' ');
  useEffect(() => {
    if (key === '') return undefined;
    return whenLoaded(({ live }) => live.watch({ devices: key.split(' ') }));
  }, [key]);
};

/** While rows scroll, subscriptions wait for a pause. */
const REST_MS = 250;

/** As `useLiveDevices`, for rows that scroll: returns a function that takes the visible ids, without a render. */
export const useFollowDevices = (): ((devices: readonly string[]) => void) => {
  const followed = useRef<{ stop: Stop; timer?: ReturnType<typeof setTimeout> }>({ stop: () => undefined });
  useEffect(() => {
    const { current } = followed;
    return () => {
      clearTimeout(current.timer);
      current.stop();
    };
  }, []);
  return useCallback((devices) => {
    const { current } = followed;
    clearTimeout(current.timer);
    current.timer = setTimeout(() => {
      const before = current.stop;
      current.stop = whenLoaded(({ live }) => live.watch({ devices }));
      before();
    }, REST_MS);
  }, []);
};

/**
 * Calls back with each frame of new samples of these series. Without a device or a metric it follows nothing. `onOpen`
 * is called when the stream begins to deliver them: a history that was read earlier may lack samples.
 */
export const useLiveSeries = (
  devices: readonly string[],
  metrics: readonly string[],
  onFrame: (frame: TelemetryFrame) => void,
  onOpen?: () => void,
) => {
  const opened = useEffectEvent(() => onOpen?.());
  const deliver = useEffectEvent((frame: TelemetryFrame) => {
    const series = frame.series.filter(
      ({ device, metric }) => devices.includes(device) && metrics.includes(metric),
    );
    if (series.length > 0) onFrame({ series });
  });
  const deviceKey = devices.join(' ');
  const metricKey = metrics.join(' ');
  useEffect(() => {
    if (deviceKey === '' || metricKey === '') return undefined;
    return whenLoaded(({ live, onTelemetry }) => {
      const unlisten = onTelemetry((frame) => deliver(frame));
      const unwatch = live.watch({
        devices: deviceKey.split(' '),
        metrics: metricKey.split(' '),
        onOpen: () => opened(),
      });
      return () => {
        unlisten();
        unwatch();
      };
    });
  }, [deviceKey, metricKey]);
};

/** Calls back with each event as it happens. */
export const useLiveEvents = (onEvent: (event: Event) => void) => {
  const deliver = useEffectEvent(onEvent);
  useEffect(() => whenLoaded((stream) => stream.onEvent((event) => deliver(event))), []);
};
