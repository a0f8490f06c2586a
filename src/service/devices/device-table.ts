import type { Generated } from 'kysely';

export type DeviceTable = {
  /** The row ID in SQLite. */
  seq: Generated<number>;
  id: string;
  external_id: string;
  name: string;
  /** Sorts names in natural order: see `naturalKey`. */
  name_key: string;
  /** The folded name and external ID, which `q` searches. */
  search_key: string;
  type: string;
  /** The folded type: see `foldCase`. */
  type_key: string;
  description: string;
  notes: string;
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

/** Number of devices in each state, without deleted devices. Triggers maintain it. */
type DeviceCountTable = { state: string; count: number };

type DeviceTagTable = {
  device_id: string;
  key: string;
  value: string;
  /** The folded value: see `foldCase`. */
  value_key: string;
  /** That of the device, so that an index finds the devices with a tag in the order of their names. */
  name_key: string;
  /** `seq` of the device. */
  device_seq: number;
};

/**
 * Number of devices in each state that have a value, without deleted devices. `name`: `type`, `tag` (the values are
 * keys of tags) or `tag:` with a key. Triggers maintain it.
 */
export type DeviceFacetTable = {
  name: string;
  value: string;
  value_key: string;
  online: number;
  late: number;
  offline: number;
  never_seen: number;
  total: number;
};

/** The number of values of each `name` of `device_facet`. Triggers maintain it. */
type DeviceFacetSizeTable = { name: string; size: number };

/** The places of devices in the order of names: see `placeDevices`. Only in SQLite. */
type DevicePlaceTable = {
  /** The row ID in the search index. */
  place: number;
  /** `seq` of the device. */
  seq: number;
};

declare module '../platform/storage/database.ts' {
  interface Schema {
    device: DeviceTable;
    device_count: DeviceCountTable;
    device_facet: DeviceFacetTable;
    device_facet_size: DeviceFacetSizeTable;
    device_place: DevicePlaceTable;
    device_tag: DeviceTagTable;
  }
}

/** The columns of the fields of a device in responses, apart from its ID. */
export const FIELD_COLUMNS = [
  'device.external_id',
  'device.name',
  'device.type',
  'device.description',
  'device.notes',
  'device.tags',
  'device.expected_interval',
  'device.learned_interval',
  'device.state',
  'device.last_seen_at',
  'device.created_at',
  'device.updated_at',
] as const;
