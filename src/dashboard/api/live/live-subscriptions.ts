/** What a tab subscribes to: `seen` lists devices for their last-seen time, `device` and `metric` select samples. */
export type Subscriptions = { seen: string[]; device: string[]; metric: string[] };

/** What a part of the page follows: when devices were last seen, or the samples of some of their metrics. */
export type Watch = {
  devices: readonly string[];
  metrics?: readonly string[];
  /**
   * Called when a stream that covers this watch opens, unless the previous stream covered it too. Earlier data must be
   * queried.
   */
  onOpen?: () => void;
};

/** The limit of one stream. */
const MAX_WATCHED = 200;

/** Takes one from each list in turn, so that no tab uses up the limit. */
const takeTurns = (lists: readonly (readonly string[])[]): string[] => {
  const chosen = new Set<string>();
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let index = 0; index < longest && chosen.size < MAX_WATCHED; index += 1)
    for (const list of lists) {
      const name = list[index];
      if (name !== undefined && chosen.size < MAX_WATCHED) chosen.add(name);
    }
  return [...chosen].toSorted();
};

export const subscriptionsOf = (watches: Iterable<Watch>): Subscriptions => {
  const [seen, device, metric] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const watch of watches) {
    const devices = watch.metrics === undefined ? seen : device;
    for (const id of watch.devices) devices.add(id);
    for (const name of watch.metrics ?? []) metric.add(name);
  }
  return { seen: [...seen], device: [...device], metric: [...metric] };
};

/** The subscriptions of one stream that serves all tabs. */
export const mergeSubscriptions = (all: readonly Subscriptions[]): Subscriptions => {
  const device = takeTurns(all.map((subscriptions) => subscriptions.device));
  const asked = new Set(device);
  return {
    device,
    seen: takeTurns(all.map(({ seen }) => seen.filter((id) => !asked.has(id)))),
    metric: takeTurns(all.map(({ metric }) => metric)),
  };
};

/** Whether a stream with these subscriptions delivers everything that `watch` follows. */
export const isCovered = ({ seen, device, metric }: Subscriptions, { devices, metrics }: Watch): boolean =>
  metrics === undefined
    ? devices.every((id) => seen.includes(id) || device.includes(id))
    : devices.every((id) => device.includes(id)) && metrics.every((name) => metric.includes(name));
