import type { Db } from '../platform/storage/database.ts';
import { countByState } from './device-store.ts';

/** Offline devices that are named one by one; more are summed up. */
const FEW = 5;
/** Deleted devices stay in the index for a day: only so many rows are read. */
const LATEST_ROWS = 20;
/** The types with the most devices, of which those with offline devices are counted. */
const TYPES = 50;

export type OfflineDevice = {
  readonly id: string;
  readonly name: string;
  /** When the device became offline, in epoch ms. */
  readonly offlineAtMs: number;
};

export type OfflineDevices = {
  readonly total: number;
  /** All if they are few, otherwise the latest. */
  readonly devices: readonly OfflineDevice[];
  readonly areFew: boolean;
  /** Types with offline devices, those with the most first. Empty if the devices are few. */
  readonly types: readonly { readonly type: string; readonly offline: number }[];
};

const offlineDevice = (row: { id: string; name: string; offline_at: number | null }): OfflineDevice => ({
  id: row.id,
  name: row.name,
  offlineAtMs: Number(row.offline_at ?? 0),
});

const latestFirst = (a: OfflineDevice, b: OfflineDevice): number => b.offlineAtMs - a.offlineAtMs;

const listFew = async (db: Db): Promise<OfflineDevice[]> => {
  const rows = await db
    .selectFrom('device')
    .select(['id', 'name', 'offline_at'])
    .where('state', '=', 'offline')
    .where('deleted_at', 'is', null)
    .limit(FEW)
    .execute();
  return rows.map(offlineDevice).toSorted(latestFirst);
};

const listLatest = async (db: Db): Promise<OfflineDevice[]> => {
  const rows = await db
    .selectFrom('device')
    .select(['id', 'name', 'offline_at', 'deleted_at'])
    .where('state', '=', 'offline')
    .where('offline_at', 'is not', null)
    .orderBy('offline_at', 'desc')
    .limit(LATEST_ROWS)
    .execute();
  return rows.filter(({ deleted_at: deletedAt }) => deletedAt === null).map(offlineDevice);
};

const countByType = async (db: Db): Promise<OfflineDevices['types']> => {
  const rows = await db
    .selectFrom('device_facet')
    .select(['value', 'offline'])
    .where('name', '=', 'type')
    .orderBy('total', 'desc')
    .limit(TYPES)
    .execute();
  return rows
    .map(({ value, offline }) => ({ type: value, offline: Number(offline) }))
    .filter(({ offline }) => offline > 0)
    .toSorted((some, others) => others.offline - some.offline);
};

/** The offline devices, from stored counts and indexes: the cost does not depend on the number of devices. */
export const findOfflineDevices = async (db: Db): Promise<OfflineDevices> => {
  const { offline: total } = await countByState(db, null);
  if (total === 0) return { total, devices: [], areFew: true, types: [] };
  if (total <= FEW) return { total, devices: await listFew(db), areFew: true, types: [] };
  return { total, devices: await listLatest(db), areFew: false, types: await countByType(db) };
};
