export type WebhookTable = {
  id: string;
  name: string;
  /** The folded name. Unique. */
  name_key: string;
  url: string;
  events: string;
  /** Limits events of devices: `key` or `key:value`. */
  tag: string | null;
  digest: number;
  enabled: number;
  /** Not hashed, because each delivery is signed with it. */
  secret: string;
  /** The previous secret, which also signs deliveries until `old_secret_until`. */
  old_secret: string | null;
  old_secret_until: number | null;
  state: string;
  delivered: number;
  /** Number of pending events. */
  pending: number;
  failed: number;
  last_delivered_at: number | null;
  last_error_at: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
  revision: number;
};

/** A pending delivery. */
export type WebhookDeliveryTable = {
  webhook_id: string;
  /** The ID of the event or of the digest. */
  event_id: string;
  body: string;
  /** Number of events in the delivery. */
  events: number;
  /** Number of attempts so far. */
  attempts: number;
  due_at: number;
};

/** The open digest of a webhook. Without events, the earliest time of the next one. */
export type WebhookDigestTable = {
  webhook_id: string;
  due_at: number;
  /** Number of events so far. */
  total: number;
  by_type: string;
  first_at: number;
  last_at: number;
};

/** An event that the open digest lists. */
type WebhookDigestEventTable = { webhook_id: string; position: number; body: string };

declare module '../platform/storage/database.ts' {
  interface Schema {
    webhook: WebhookTable;
    webhook_call: WebhookDeliveryTable;
    webhook_digest: WebhookDigestTable;
    webhook_digest_event: WebhookDigestEventTable;
  }
}
