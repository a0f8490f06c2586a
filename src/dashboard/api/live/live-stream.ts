import type { Event } from '#contract/events.ts';
import type { StreamFrame, TelemetryFrame } from '#contract/stream.ts';
import { createSharedStream } from './shared-stream.ts';
import { createLiveUpdates } from './live-updates.ts';
import { queryClient } from '../query-client.ts';
import { createListeners } from '../../ui/browser/listeners.ts';

const updates = createLiveUpdates(queryClient);
const telemetryListeners = createListeners<[TelemetryFrame]>();
const eventListeners = createListeners<[Event]>();

/** The stream of this tab. */
export const live = createSharedStream({
  onFrame: (kind, frame) => {
    if (kind === 'device') updates.device(frame as StreamFrame<'device'>);
    else if (kind === 'pipeline') updates.pipeline(frame as StreamFrame<'pipeline'>);
    else if (kind === 'event') {
      updates.event(frame as StreamFrame<'event'>);
      eventListeners.notify(frame as StreamFrame<'event'>);
    } else if (kind === 'storage') updates.storage();
    else if (kind === 'telemetry') telemetryListeners.notify(frame as StreamFrame<'telemetry'>);
  },
  onStart: updates.start,
  onGap: updates.gap,
});

export const onTelemetry = telemetryListeners.subscribe;

export const onEvent = eventListeners.subscribe;
