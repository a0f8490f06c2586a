import type { Generated } from 'kysely';

/** Samples of pipelines that wait for delivery, in the order of `seq`. */
export type SpoolBatchTable = {
  seq: Generated<number>;
  pipeline_id: string;
  /** The ID of its first delivery, shared with other batches; null: not sent yet. */
  delivery_id: string | null;
  /** JSON: a list of samples. */
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
