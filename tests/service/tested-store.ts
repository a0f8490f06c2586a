import { afterEach, beforeEach } from 'vitest';
import type { StoredSeries, TelemetryStore } from '#service/telemetry/store/telemetry-store.ts';
import { batchOf, type GivenSample } from './batch-of.ts';

type StoreOptions = { metricsPerDevice?: number };

/** Where a store keeps its samples. */
export type StorePlace = {
  open(options?: StoreOptions): Promise<TelemetryStore>;
  remove(): Promise<void>;
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

/** An empty store for each test of the suite. */
export const createTestedStore = (createPlace: () => Promise<StorePlace>) => {
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
    write: async (...values: GivenSample[]) => Array.from((await store.write(batchOf(values))).outcome),
    readRaw: async () => (await store.read(ALL, { points: 5_000 }, [])).series.map(plain),
  };
};
export type TestedStore = ReturnType<typeof createTestedStore>;
