/** Messages to the embedded broker that match no running pipeline, by topic filter. */
export type UnroutedTopicTable = {
  topic_filter: string;
  /** The folded topic filter. */
  search_key: string;
  messages: number;
  first_at: number;
  last_at: number;
  /** JSON: user names, latest first. */
  clients: string;
  /** Of the last message. */
  topic: string;
  /** The first 4 KiB of the payload as text; null: binary. */
  payload: string | null;
  payload_bytes: number;
  is_truncated: number;
  is_retained: number;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    unrouted_topic: UnroutedTopicTable;
  }
}
