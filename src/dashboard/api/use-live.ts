import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { StreamFrame, TelemetryFrame } from '#contract/stream.ts';
import { createLive, type LiveStatus } from './live.ts';
import { createLiveUpdates } from './live-updates.ts';
import { queryClient } from './query-client.ts';

const updates = createLiveUpdates(queryClient);
const telemetryListeners = new Set<(frame: TelemetryFrame) => void>();

/** The stream of this tab. */
export const live = createLive({
  onFrame: (kind, frame) => {
    if (kind === 'device') updates.device(frame as StreamFrame<'device'>);
    else if (kind === 'pipeline') updates.pipeline(frame as StreamFrame<'pipeline'>);
    else if (kind === 'event') updates.event(frame as StreamFrame<'event'>);
    else if (kind === 'telemetry')
      for (const listener of telemetryListeners) listener(frame as StreamFrame<'telemetry'>);
  },
  onGap: () => updates.gap(),
});

/** Keeps the stream open while the component is on the page. */
export const useLiveStream = () => {
  useEffect(() => live.start(), []);
};

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(live.subscribe, live.status);

/** Keeps `lastSeenAt` of these devices fresh in the query cache (states come for all devices anyway). */
export const useLiveDevices = (devices: readonly string[]) => {
  const key = devices.join(' ');
  useEffect(() => live.watch({ devices: key === '' ? [] : key.split(' ') }), [key]);
};

type SeriesFrame = TelemetryFrame['series'][number];

/** Calls back with each batch of new samples of these series; where `metrics` is empty, nothing is followed. */
export const useLiveSeries = (
  devices: readonly string[],
  metrics: readonly string[],
  onFrame: (series: SeriesFrame[]) => void,
) => {
  const deliver = useEffectEvent((frame: TelemetryFrame) => {
    const wanted = frame.series.filter(
      (series) => devices.includes(series.device) && metrics.includes(series.metric),
    );
    if (wanted.length > 0) onFrame(wanted);
  });
  const deviceKey = devices.join(' ');
  const metricKey = metrics.join(' ');
  useEffect(() => {
    if (deviceKey === '' || metricKey === '') return undefined;
    const listener = (frame: TelemetryFrame) => deliver(frame);
    telemetryListeners.add(listener);
    const unwatch = live.watch({ devices: deviceKey.split(' '), metrics: metricKey.split(' ') });
    return () => {
      telemetryListeners.delete(listener);
      unwatch();
    };
  }, [deviceKey, metricKey]);
};
