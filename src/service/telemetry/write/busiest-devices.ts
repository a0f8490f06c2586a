import type { SampleColumns } from '../store/sample-columns.ts';

/** Samples are counted in the window in progress and the one before it. */
const WINDOW_MS = 5 * 60_000;
/** The devices that a window keeps when it has twice as many: those with the most samples. */
const KEPT_DEVICES = 1_000;
const LEAST_SHARE = 0.1;

/** `share`: of all samples, from `LEAST_SHARE` to 1. */
export type BusyDevice = { readonly id: string; readonly share: number };

export type BusiestDevices = {
  count(samplesByDevice: ReadonlyMap<string, number>): void;
  /** The devices that sent at least a tenth of the samples of the last 5 to 10 minutes, busiest first. */
  read(): BusyDevice[];
};

type Window = { samples: number; byDevice: Map<string, number> };
const emptyWindow = (): Window => ({ samples: 0, byDevice: new Map() });

const mostFirst = (byDevice: ReadonlyMap<string, number>): [id: string, samples: number][] =>
  [...byDevice].toSorted(([, a], [, b]) => b - a);

/**
 * Counts the samples of devices that send many. Memory is limited: of 2,000 devices, it forgets the 1,000 with the fewest
 * samples. `elapsed`: a monotonic clock, in ms.
 */
export const createBusiestDevices = (elapsed: () => number): BusiestDevices => {
  let previous = emptyWindow();
  let current = emptyWindow();
  let endsAt = elapsed() + WINDOW_MS;

  const advance = (): void => {
    const now = elapsed();
    if (now < endsAt) return;
    previous = now < endsAt + WINDOW_MS ? current : emptyWindow();
    current = emptyWindow();
    endsAt = now + WINDOW_MS;
  };

  return {
    count: (samplesByDevice) => {
      advance();
      for (const [id, samples] of samplesByDevice) {
        current.samples += samples;
        current.byDevice.set(id, (current.byDevice.get(id) ?? 0) + samples);
        if (current.byDevice.size >= 2 * KEPT_DEVICES)
          current.byDevice = new Map(mostFirst(current.byDevice).slice(0, KEPT_DEVICES));
      }
    },
    read: () => {
      advance();
      const total = previous.samples + current.samples;
      const byDevice = new Map(previous.byDevice);
      for (const [id, samples] of current.byDevice) byDevice.set(id, (byDevice.get(id) ?? 0) + samples);
      return mostFirst(byDevice)
        .map(([id, samples]) => ({ id, share: samples / total }))
        .filter(({ share }) => share >= LEAST_SHARE);
    },
  };
};

/** The number of samples of each device. */
export const countByDevice = ({
  series: { devices, device },
  index,
}: Pick<SampleColumns, 'series' | 'index'>): Map<string, number> => {
  if (devices.length === 1) return new Map([[devices[0]!, index.length]]);
  const counts = new Map<string, number>();
  for (const series of index) {
    const id = devices[device[series]!]!;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
};
