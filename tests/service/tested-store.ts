import { afterEach, beforeEach } from 'vitest';
import { OUTCOME, type StoredSeries, type TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';
import { batchOf, type GivenSample } from './batch-of.ts';

type StoreOptions = { metricsPerDevice?: number };

/** Where a store keeps its samples. */
export type StorePlace = {
  open(options?: StoreOptions): Promise<TelemetryStore>;
  remove(): Promise<void>;
  /** Makes the server merge what it has written, for an exact number of samples. */
  settle?(): Promise<void>;
};

export type StoreTraits = {
  /** The share of the random histories that run. */
  readonly historyShare: number;
};

export const ALL = { devices: ['dev_a'], fromMs: -Infinity, toMs: Infinity };

/** Columns as plain lists, which assertions show well. */
export const plain = ({ device: _, unit: __, ...series }: StoredSeries) =>
  Object.fromEntries(
    Object.entries(series).map(([name, column]) => [
      name,
      typeof column === 'string' ? column : Array.from<unknown>(column),
    ]),
  );

const REPEATS: ReadonlySet<number> = new Set([OUTCOME.overwritten, OUTCOME.duplicate]);

/** An empty store for each test of the suite. */
export const createTestedStore = (
  createPlace: () => Promise<StorePlace>,
  { historyShare = 1 }: Partial<StoreTraits> = {},
) => {
  let place: StorePlace;
  let store: TelemetryStore;
  const open = async (options?: StoreOptions): Promise<void> => {
    store = await place.open(options);
  };
  beforeEach(async () => {
    place = await createPlace();
    await open();
  });
  afterEach(async () => {
    await store.close();
    await place.remove();
  });
  return {
    get store() {
      return store;
    },
    /** Opens the store again after it was closed. */
    open,
    historyShare,
    /** The outcomes that the store reports for these. */
    reported: (outcomes: readonly number[]) =>
      store.countsRepeats
        ? outcomes
        : outcomes.map((outcome) => (REPEATS.has(outcome) ? OUTCOME.accepted : outcome)),
    countSamples: async () => {
      await place.settle?.();
      return (await store.stats()).samples;
    },
    write: async (...values: GivenSample[]) => Array.from((await store.write(batchOf(values))).outcome),
    readRaw: async () => (await store.read(ALL, { points: 5_000 }, [])).series.map(plain),
  };
};
export type TestedStore = ReturnType<typeof createTestedStore>;
