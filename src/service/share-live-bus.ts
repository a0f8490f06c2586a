import type { LiveBus, LiveTopics } from './platform/live-bus.ts';
import type { Peers } from './platform/peers.ts';

const ANNOUNCE_EVERY_MS = 1_000;
/** Longer than the interval of announcements, which may be delayed. */
const FOLLOWED_MS = 4_000;
const DEVICES_PER_MESSAGE = 200;
const SAMPLES_PER_MESSAGE = 100;
const topics = ['device', 'pipeline', 'telemetry', 'replaced'] as const;

/** The samples of a write in messages of limited length. */
function* slicesOf({ ts, value, ...series }: LiveTopics['telemetry']): Generator<LiveTopics['telemetry']> {
  for (let i = 0; i < ts.length; i += SAMPLES_PER_MESSAGE)
    yield {
      device: series.device,
      metric: series.metric,
      ts: ts.slice(i, i + SAMPLES_PER_MESSAGE),
      value: value.slice(i, i + SAMPLES_PER_MESSAGE),
    };
}

/**
 * Sends to the live streams of other processes: state changes of all devices; last-seen times and samples of devices that a
 * stream follows there; and which streams were replaced. Events have a way of their own (`openSharedEventLog`).
 * @param followed the devices that the streams of this process follow
 */
export const shareLiveBus = ({
  live,
  peers,
  followed,
}: {
  live: LiveBus;
  peers: Peers;
  followed: () => Iterable<string>;
}): { close(): void } => {
  /** By device, until when a stream of another process follows it, by the monotonic clock. */
  const followedUntilMs = new Map<string, number>();
  /** Whether the message that is published now came from another process. */
  let isFromOther = false;
  const publish = <K extends (typeof topics)[number]>(topic: K, message: LiveTopics[K]): void => {
    isFromOther = true;
    live.publish(topic, message);
    isFromOther = false;
  };
  const isFollowed = (device: string): boolean => (followedUntilMs.get(device) ?? 0) > performance.now();

  const subscriptions = [
    live.subscribe('device', (message) => {
      if (!isFromOther && (message.hasChangedState || isFollowed(message.frame.id)))
        peers.send('device', message);
    }),
    live.subscribe('pipeline', (frame) => {
      if (!isFromOther) peers.send('pipeline', frame);
    }),
    live.subscribe('replaced', (message) => {
      if (isFromOther) return;
      // The other process sends samples to this one before it ends the earlier stream.
      announce();
      peers.send('replaced', message);
    }),
  ];
  for (const topic of topics) peers.subscribe(topic, (message) => publish(topic, message));

  /** Listens to samples only while a stream follows any: to list them costs a write about as much time as to store them. */
  let stopListening: (() => void) | undefined;
  const sendSamples = (message: LiveTopics['telemetry']): void => {
    if (isFromOther || !isFollowed(message.device)) return;
    for (const slice of slicesOf(message)) peers.send('telemetry', slice);
  };
  peers.subscribe('followed', ({ devices }) => {
    const untilMs = performance.now() + FOLLOWED_MS;
    for (const device of devices) followedUntilMs.set(device, untilMs);
    stopListening ??= live.subscribe('telemetry', sendSamples);
  });

  const announce = (): void => {
    for (const [device, untilMs] of followedUntilMs)
      if (untilMs <= performance.now()) followedUntilMs.delete(device);
    if (followedUntilMs.size === 0) {
      stopListening?.();
      stopListening = undefined;
    }
    const devices = [...followed()];
    for (let i = 0; i < devices.length; i += DEVICES_PER_MESSAGE)
      peers.send('followed', { devices: devices.slice(i, i + DEVICES_PER_MESSAGE) });
  };
  const timer = setInterval(announce, ANNOUNCE_EVERY_MS);

  return {
    close: () => {
      clearInterval(timer);
      stopListening?.();
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
};
