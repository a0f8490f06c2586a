import type { Generated } from 'kysely';

export type DeviceTable = {
  /** What the search index of SQLite knows a device by. */
  seq: Generated<number>;
  id: string;
  external_id: string;
  name: string;
  /** Folded by Unicode: what names are sorted by. */
  name_key: string;
  /** Folded name and external id: what `q` is looked for in. */
  search_key: string;
  type: string;
  description: string;
  tags: string;
  expected_interval: number | null;
  learned_interval: number | null;
  state: string;
  /** 0: never. */
  last_seen_at: number;
  late_at: number | null;
  offline_at: number | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
  revision: number;
};

/** How many devices are shown in each state; triggers keep it. */
type DeviceCountTable = { state: string; count: number };

type DeviceTagTable = { device_id: string; key: string; value: string };

declare module '../platform/storage/database.ts' {
  interface Schema {
    device: DeviceTable;
    device_count: DeviceCountTable;
    device_tag: DeviceTagTable;
  }
}
