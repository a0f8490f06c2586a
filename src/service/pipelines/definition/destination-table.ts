export type DestinationTable = {
  id: string;
  name: string;
  /** Folded by Unicode; unique. */
  name_key: string;
  type: string;
  /** A password in it is masked; null: it has no address. */
  url: string | null;
  /** Secrets in it are masked. */
  options: string;
  /** What the masks stand for, by pointer, and what calls are signed with. */
  secrets: string;
  state: string;
  last_error_at: number | null;
  last_error: string | null;
  last_delivered_at: number | null;
  created_at: number;
  updated_at: number;
  revision: number;
};

declare module '../../platform/storage/database.ts' {
  interface Schema {
    destination: DestinationTable;
  }
}
