import type { LiveBus, LiveTopics } from '../platform/live-bus.ts';
import { frameText, type StreamClient } from './stream-client.ts';
import { createWaitingSamples, type WaitingSamples } from './waiting-samples.ts';

type Group = {
  samples: WaitingSamples;
  clients: Set<StreamClient>;
  metrics: ReadonlySet<string> | undefined;
};
type Membership = { leave: () => void; sendWaiting: () => void };
type Wanted = { devices: ReadonlySet<string>; metrics: ReadonlySet<string> | undefined };

/**
 * Clients that follow the same series share their waiting samples and the text of frames. Listens to samples only while a
 * client follows any: to list them costs a write about as much time as to store them.
 */
export const createSampleGroups = (live: Pick<LiveBus, 'subscribe'>) => {
  const groups = new Map<string, Group>();
  const byDevice = new Map<string, Set<Group>>();

  let stopListening: (() => void) | undefined;

  const add = (message: LiveTopics['telemetry']): void => {
    for (const group of byDevice.get(message.device) ?? []) {
      if (group.metrics !== undefined && !group.metrics.has(message.metric)) continue;
      if (!group.samples.add(message)) for (const client of group.clients) client.reset();
    }
  };

  const leave = (key: string, group: Group, devices: ReadonlySet<string>, client: StreamClient): void => {
    group.clients.delete(client);
    if (group.clients.size > 0) return;
    groups.delete(key);
    for (const device of devices) {
      const ofDevice = byDevice.get(device);
      ofDevice?.delete(group);
      if (ofDevice?.size === 0) byDevice.delete(device);
    }
    if (groups.size > 0) return;
    stopListening?.();
    stopListening = undefined;
  };

  const flushGroup = (group: Group): void => {
    const frame = group.samples.take();
    if (frame === undefined) return;
    const text = frameText('telemetry', frame);
    for (const client of group.clients) client.send(text);
  };

  return {
    /** Returns a function that leaves the group, and one that sends the samples of the group that wait for the next frame. */
    join: (client: StreamClient, { devices, metrics }: Wanted): Membership => {
      if (devices.size === 0) return { leave: () => undefined, sendWaiting: () => undefined };
      const key = JSON.stringify([
        [...devices].toSorted(),
        metrics === undefined ? null : [...metrics].toSorted(),
      ]);
      stopListening ??= live.subscribe('telemetry', add);
      let group = groups.get(key);
      if (group === undefined) {
        groups.set(key, (group = { samples: createWaitingSamples(), clients: new Set(), metrics }));
        for (const device of devices) byDevice.set(device, (byDevice.get(device) ?? new Set()).add(group));
      }
      // The samples before a client joined are not for it.
      flushGroup(group);
      group.clients.add(client);
      const joined = group;
      return {
        leave: () => leave(key, joined, devices, client),
        sendWaiting: () => flushGroup(joined),
      };
    },
    /** Sends the waiting samples of each group as one frame. */
    flush: (): void => {
      for (const group of groups.values()) flushGroup(group);
    },
    waitingBytes: (): number => [...groups.values()].reduce((sum, { samples }) => sum + samples.bytes(), 0),
  };
};
