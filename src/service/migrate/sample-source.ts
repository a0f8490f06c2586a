import type { ImportedSeries } from '../telemetry/store/imported-series.ts';

/** The series with the greatest ID so far. `ts`: the last time of it; null: it is complete. */
export type SeriesPosition = { readonly series: number; readonly ts: number | null };

export const FIRST_POSITION: SeriesPosition = { series: 0, ts: null };

/** A text may be a thousand times as long as a number. */
export const TEXTS_PER_BATCH = 1_000;

/** Samples of consecutive series, and the position after them. */
export type SampleBatch = {
  readonly parts: readonly ImportedSeries[];
  readonly samples: number;
  readonly next: SeriesPosition;
};

/** The telemetry of a stopped service, which nothing changes. */
export type SampleSource = {
  /** Where the samples are, for messages. */
  readonly place: 'telemetry.db' | 'PostgreSQL';
  /** Changes with the data, so that a migration is not continued with other data. */
  readonly identity: string;
  readonly samples: number;
  /** The highest ID that a series ever had; 0: none. */
  readonly lastSeries: number;
  /** All samples after a position, by the ID of the series and time, as many at a time as one step copies. */
  readBatches(
    from: SeriesPosition,
    samplesPerBatch: number,
  ): Iterable<SampleBatch> | AsyncIterable<SampleBatch>;
};
