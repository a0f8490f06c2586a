export type PipelineTable = {
  id: string;
  name: string;
  /** Folded by Unicode; unique. */
  name_key: string;
  type: string;
  interval: number;
  destination: string;
  /** Folded by Unicode: how it is looked up by the name of its destination. */
  destination_key: string;
  enabled: number;
  /** Secrets in it are masked. */
  config: string;
  /** What the config's masks stand for, by pointer. Kept as they are: they are sent to where it connects. */
  secrets: string;
  mapping: string;
  state: string;
  problems: string;
  received: number;
  delivered: number;
  pending: number;
  rejected: number;
  skipped: number;
  /** Part of `delivered`. */
  overwritten: number;
  /** Bytes of its batches in the spool. */
  spool_bytes: number;
  last_message_at: number;
  last_error_at: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
  revision: number;
};

declare module '../../platform/storage/database.ts' {
  interface Schema {
    pipeline: PipelineTable;
  }
}
