import type { Event } from '#contract/events.ts';
import type { StreamFrame, TelemetryFrame } from '#contract/stream.ts';
import { createSharedStream } from './shared-stream.ts';
import { createLiveUpdates } from './live-updates.ts';
import { queryClient } from '../query-client.ts';

const updates = createLiveUpdates(queryClient);
const telemetryListeners = new Set<(frame: TelemetryFrame) => void>();
const eventListeners = new Set<(event: Event) => void>();

/** The stream of this tab. */
export const live = createSharedStream({
  onFrame: (kind, frame) => {
    if (kind === 'device') updates.device(frame as StreamFrame<'device'>);
    else if (kind === 'pipeline') updates.pipeline(frame as StreamFrame<'pipeline'>);
    else if (kind === 'event') {
      updates.event(frame as StreamFrame<'event'>);
      for (const listener of eventListeners) listener(frame as StreamFrame<'event'>);
    } else if (kind === 'storage') updates.storage();
    else if (kind === 'telemetry')
      for (const listener of telemetryListeners) listener(frame as StreamFrame<'telemetry'>);
  },
  onStart: updates.start,
  onGap: updates.gap,
});

export const onTelemetry = (listener: (frame: TelemetryFrame) => void) => {
  telemetryListeners.add(listener);
  return () => telemetryListeners.delete(listener);
};

export const onEvent = (listener: (event: Event) => void) => {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
};
