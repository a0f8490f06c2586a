import type { StoredSeries } from './telemetry-store.ts';

/** Samples of a series that are copied from another store. `id`: the ID of the series in that store. */
export type ImportedSeries = Pick<StoredSeries, 'device' | 'metric' | 'kind' | 'unit' | 'ts'> & {
  readonly id: number;
  readonly value: NonNullable<StoredSeries['value']>;
};
