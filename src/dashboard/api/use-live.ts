import { useEffect, useEffectEvent } from 'react';
import type { Event } from '#contract/events.ts';
import type { TelemetryFrame } from '#contract/stream.ts';

export { useLiveStatus } from './live-status.ts';

/** The stream's code comes after the first page: nothing on it waits for it. */
const load = () => import('./live-stream.ts');

type Stop = () => void;

/** Runs what the loaded stream starts, and stops it, loaded or not, when the answer is called. */
const whenLoaded = (start: (stream: Awaited<ReturnType<typeof load>>) => Stop): Stop => {
  let isStopped = false;
  let stop: Stop | undefined;
  void load().then((stream) => {
    if (!isStopped) stop = start(stream);
  });
  return () => {
    isStopped = true;
    stop?.();
  };
};

export const retryLiveNow = () => void load().then(({ live }) => live.retryNow());

/** Keeps the stream open while the component is on the page. */
export const useLiveStream = () => {
  useEffect(() => whenLoaded(({ live }) => live.start()), []);
};

/** Keeps `lastSeenAt` of these devices fresh in the query cache (states come for all devices anyway). */
export const useLiveDevices = (devices: readonly string[]) => {
  const key = devices.join(' ');
  useEffect(() => {
    if (key === '') return undefined;
    return whenLoaded(({ live }) => live.watch({ devices: key.split(' ') }));
  }, [key]);
};

/**
 * Calls back with each frame of new samples of these series; with no device or no metric nothing is followed.
 * `onOpen` is called as the stream begins to follow them: a history that was read before that may lack the samples
 * in between.
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
