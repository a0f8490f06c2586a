import type { Generated } from 'kysely';

export type RejectionTable = {
  id: string;
  pipeline_id: string;
  at: number;
  reason: string;
  detail: string;
  message: string;
  topic: string | null;
  attempts: number;
  /** Number of rejected samples of the message. */
  value_count: number;
  /** The same for all rejections of one message. */
  message_id: string;
  /** 0: not stored whole. 1: `message` is the whole message. 2: stored separately, as long as there is room. */
  is_whole: number;
  /** Number of samples of the whole message that the ledger counts. */
  message_values: number;
  /** The default device from the topic or the sender; null: the config of the pipeline decides. */
  device: string | null;
  /** The external ID of the only device that the message names; null: none, or several. */
  named_device: string | null;
  /** JSON: IDs of the devices that the sender is limited to; null: all. */
  sender_devices: string | null;
  /** JSON: who sent the message; null: a source or a destination, or not known. */
  sender: string | null;
  /** 1: `message` holds samples that are mapped already. */
  is_mapped: number;
  /** Equal for equal rejections of a polled source; null: the rejection is not counted with others. */
  digest: string | null;
  /** Number of equal rejections in this row. `at` is the time of the last one; the counts are the sums of all. */
  occurrences: Generated<number>;
  /** The time of the first of several equal rejections. */
  first_at: number | null;
};

/** A whole message whose rejections contain only a part of it. */
export type WholeMessageTable = {
  message_id: string;
  pipeline_id: string;
  at: number;
  /** Base 64. */
  body: string;
  bytes: number;
};

declare module '../../platform/storage/database.ts' {
  interface Schema {
    rejection: RejectionTable;
    whole_message: WholeMessageTable;
  }
}
