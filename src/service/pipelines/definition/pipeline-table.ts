export type PipelineTable = {
  id: string;
  name: string;
  /** The folded name. Unique. */
  name_key: string;
  type: string;
  interval: number;
  destination: string;
  /** The folded name of the destination, for lookups. */
  destination_key: string;
  enabled: number;
  /** JSON, with masked secrets. */
  config: string;
  /** JSON: the masked secrets by pointer. Not hashed, because the source sends them to its server. */
  secrets: string;
  mapping: string;
  state: string;
  /** The `StateReasonCode`, whose detail is `last_error`; null unless degraded or failed. */
  state_reason: string | null;
  state_reason_since: number | null;
  problems: string;
  received: number;
  delivered: number;
  pending: number;
  rejected: number;
  skipped: number;
  /** Included in `delivered`. */
  overwritten: number;
  /** Bytes of the batches in the spool. */
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
