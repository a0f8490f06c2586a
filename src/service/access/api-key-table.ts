export type ApiKeyTable = {
  id: string;
  digest: string;
  name: string;
  name_key: string;
  last4: string;
  scopes: string;
  devices: string | null;
  expires_at: number | null;
  /** Like expires_at, with the largest number for never. The list is sorted by this column. */
  expires_key: number;
  /** Number of days before expiry of the latest warning; null: no warning yet. */
  warned_days: number | null;
  last_used_at: number;
  last_used_from: string | null;
  /** The last use that was refused because the key was revoked or expired. */
  last_refused_at: number | null;
  last_refused_from: string | null;
  /** When these refusals began, and their number. */
  refused_since: number | null;
  refused_count: number;
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
