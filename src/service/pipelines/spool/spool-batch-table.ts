import type { Generated } from 'kysely';

/** What a pipeline has taken and its destination has not yet: the order of `seq` is that of the delivery. */
export type SpoolBatchTable = {
  seq: Generated<number>;
  pipeline_id: string;
  /** Under which it was tried first, together with others; null: not yet. */
  delivery_id: string | null;
  /** A list of samples, as JSON. */
  body: string;
  value_count: number;
  bytes: number;
  created_at: number;
};

declare module '../../platform/storage/database.ts' {
  interface Schema {
    spool_batch: SpoolBatchTable;
  }
}
