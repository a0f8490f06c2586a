import type { ImportedSeries } from '../telemetry/store/imported-series.ts';
import type { Position } from './migration-record.ts';

/** A database that receives the telemetry. */
export type SampleDestination = {
  readonly product: 'PostgreSQL' | 'ClickHouse';
  /** Checks that the database is empty, or holds this migration. @throws MigrationError that names what was found */
  requireDestination(source: string): Promise<void>;
  /** @throws MigrationError if no migration into the database has finished copying */
  requireMigrated(): Promise<void>;
  /** Records that the migration has begun, before it creates other tables. A second call changes nothing. */
  begin(source: string, now: number): Promise<void>;
  createTables(): Promise<void>;
  findPosition(): Promise<Position | undefined>;
  /** Samples that `insert` takes at a time. */
  readonly samplesPerBatch: number;
  /** Inserts new series and samples, and saves the position after them, in the same transaction or later. */
  insert(parts: readonly ImportedSeries[], position: Position): Promise<void>;
  /** Called after the last sample. @param lastSeries the highest ID that a series of the source ever had */
  completeCopy(lastSeries: number): Promise<void>;
  /** Reads the samples from the first to the last time of each given series, by its ID in the source. */
  read(parts: readonly ImportedSeries[]): Promise<Map<number, ImportedSeries>>;
  /** Counts all series and samples. `countedSamples`: the count that the database maintains, if it does. */
  count(): Promise<{ series: number; samples: number; countedSamples?: number }>;
  finish(now: number): Promise<void>;
};
