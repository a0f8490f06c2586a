export type ApiKeyTable = {
  id: string;
  digest: string;
  name: string;
  name_key: string;
  last4: string;
  scopes: string;
  devices: string | null;
  expires_at: number | null;
  /** As expires_at, with the greatest number for never: what the list is sorted by. */
  expires_key: number;
  /** How many days before its end somebody was warned last; null: not yet. */
  warned_days: number | null;
  last_used_at: number;
  last_used_from: string | null;
  created_by: string | null;
  revoked_at: number | null;
  rotated_from: string | null;
  created_at: number;
  revision: number;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    api_key: ApiKeyTable;
  }
}
