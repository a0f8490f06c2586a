export type WebhookTable = {
  id: string;
  name: string;
  /** The folded name. Unique. */
  name_key: string;
  url: string;
  events: string;
  enabled: number;
  /** Not hashed, because each delivery is signed with it. */
  secret: string;
  /** The previous secret, which also signs deliveries until `old_secret_until`. */
  old_secret: string | null;
  old_secret_until: number | null;
  state: string;
  delivered: number;
  /** Number of pending deliveries. */
  pending: number;
  failed: number;
  /** The end of the claim of a process; 0: no claim. */
  busy_until: number;
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
  event_id: string;
  body: string;
  /** Number of attempts so far. */
  attempts: number;
  due_at: number;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    webhook: WebhookTable;
    webhook_call: WebhookDeliveryTable;
  }
}
