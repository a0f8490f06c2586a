import type { SampleColumns } from '../store/sample-columns.ts';

/** Samples are counted in the window in progress and the one before it. */
const WINDOW_MS = 5 * 60_000;
/** The devices that a window keeps at most when it has twice as many: those with the most samples. */
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

/**
 * Subtracts the count of the busiest device that is dropped from all counts (Misra and Gries, 1982). All counts of a window
 * together lose at most all its samples, and each subtraction takes the same from more than KEPT_DEVICES of them: no count loses
 * more than a thousandth of all samples.
 */
const dropQuietest = (byDevice: ReadonlyMap<string, number>): Map<string, number> => {
  const sorted = [...byDevice].toSorted(([, a], [, b]) => b - a);
  const dropped = sorted[KEPT_DEVICES]?.[1] ?? 0;
  return new Map(
    sorted
      .slice(0, KEPT_DEVICES)
      .map(([id, samples]) => [id, samples - dropped] as const)
      .filter(([, samples]) => samples > 0),
  );
};

/** Counts the samples of devices that send many, in bounded memory. `elapsed`: a monotonic clock, in ms. */
export const createBusiestDevices = (elapsed: () => number): BusiestDevices => {
  let previous = emptyWindow();
  let current = emptyWindow();
  let endsAt = elapsed() + WINDOW_MS;

  const advance = (): void => {
    const now = elapsed();
    if (now < endsAt) return;
    const isNext = now < endsAt + WINDOW_MS;
    previous = isNext ? current : emptyWindow();
    current = emptyWindow();
    endsAt = (isNext ? endsAt : now) + WINDOW_MS;
  };

  return {
    count: (samplesByDevice) => {
      advance();
      for (const [id, samples] of samplesByDevice) {
        current.samples += samples;
        current.byDevice.set(id, (current.byDevice.get(id) ?? 0) + samples);
        if (current.byDevice.size >= 2 * KEPT_DEVICES) current.byDevice = dropQuietest(current.byDevice);
      }
    },
    read: () => {
      advance();
      const total = previous.samples + current.samples;
      const byDevice = new Map(previous.byDevice);
      for (const [id, samples] of current.byDevice) byDevice.set(id, (byDevice.get(id) ?? 0) + samples);
      return [...byDevice]
        .map(([id, samples]) => ({ id, share: samples / total }))
        .filter(({ share }) => share >= LEAST_SHARE)
        .toSorted((a, b) => b.share - a.share);
    },
  };
};

/** The number of samples of each device that has some. */
export const countByDevice = ({
  series: { devices, device },
  index,
}: Pick<SampleColumns, 'series' | 'index'>): Map<string, number> => {
  const counts = new Uint32Array(devices.length);
  for (const series of index) counts[device[series]!]! += 1;
  const byDevice = new Map<string, number>();
  // A write can name a device by its ID and by its external ID.
  for (const [position, id] of devices.entries()) {
    const samples = counts[position]!;
    if (samples > 0) byDevice.set(id, (byDevice.get(id) ?? 0) + samples);
  }
  return byDevice;
};
