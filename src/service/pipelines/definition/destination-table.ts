export type DestinationTable = {
  id: string;
  name: string;
  /** The folded name. Unique. */
  name_key: string;
  type: string;
  /** With a masked password; null: the type has no URL. */
  url: string | null;
  /** JSON, with masked secrets. */
  options: string;
  /** JSON: the masked secrets by pointer, and the signing secret. */
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
