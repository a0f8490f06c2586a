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
  /** How many values of the message it stands for. */
  value_count: number;
  /** The same for all rejections of one message. */
  message_id: string;
  /** 1: `message` is the whole message, and can be read again; 2: it is kept apart, for as long as there is room. */
  is_whole: number;
  /** Number of values of the whole message that the ledger counts. */
  message_values: number;
  /** Whose values those are that name no device, by the topic or the sender; null: the pipeline's own setting says. */
  device: string | null;
  /** JSON: the ids of the devices that its sender is limited to; null: all. */
  sender_devices: string | null;
  /** 1: `message` holds samples, that the pipeline's mapping has been through already. */
  is_mapped: number;
  /** Equal for equal rejections of a polled source; null: the rejection is not counted with others. */
  digest: string | null;
  /** Number of equal rejections in this row. `at` is the time of the last one; the values are the sum of all. */
  occurrences: Generated<number>;
  /** The time of the first of several equal rejections. */
  first_at: number | null;
};

/** A message that its rejections show only in part. */
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
