export type WebhookTable = {
  id: string;
  name: string;
  /** Folded by Unicode; unique. */
  name_key: string;
  url: string;
  events: string;
  enabled: number;
  /** Kept as it is: each call is signed with it, and the receiver verifies with the same. */
  secret: string;
  /** The one before, which calls are signed with as well until then. */
  old_secret: string | null;
  old_secret_until: number | null;
  state: string;
  delivered: number;
  /** As many as the webhook has calls. */
  pending: number;
  failed: number;
  /** Until when a process serves it; 0: none does. */
  busy_until: number;
  last_delivered_at: number | null;
  last_error_at: number | null;
  last_error: string | null;
  created_at: number;
  updated_at: number;
  revision: number;
};

/** A call that has not got through yet. */
export type WebhookCallTable = {
  webhook_id: string;
  event_id: string;
  body: string;
  /** Tries so far. */
  attempts: number;
  due_at: number;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    webhook: WebhookTable;
    webhook_call: WebhookCallTable;
  }
}
