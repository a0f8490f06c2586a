import type { StoredSeries } from './telemetry-store.ts';

/** Samples of a series that are copied from another store, where the series has the ID. */
export type ImportedSeries = Pick<StoredSeries, 'device' | 'metric' | 'kind' | 'unit' | 'ts'> & {
  readonly id: number;
  readonly value: NonNullable<StoredSeries['value']>;
};
