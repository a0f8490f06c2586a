export type SessionTable = {
  id: string;
  digest: string;
  /** The key that opened the session; null: a sign-in link, which grants every scope. */
  key_id: string | null;
  label: string | null;
  idle_ms: number;
  last_used_at: number;
  expires_at: number;
  created_at: number;
};

type SigninTable = { digest: string; expires_at: number; used_at: number | null };

declare module '../platform/storage/database.ts' {
  interface Schema {
    session: SessionTable;
    signin: SigninTable;
  }
}
