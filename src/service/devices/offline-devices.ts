import type { Db } from '../platform/storage/database.ts';
import { countByState } from './device-store.ts';
import type { DeviceTable } from './device-table.ts';
import { chooseGrouping, type FacetCounts, type OfflineGrouping } from './offline-grouping.ts';

/** Offline devices that are named one by one; more are summed up. */
const FEW = 5;
/** Deleted devices stay in the index for a day: only so many rows are read. */
const LATEST_ROWS = 20;
/** The types or values of a tag with the most devices, of which those with offline devices are counted. */
const VALUES = 50;
/** The tags that most devices have. */
const TAGS = 20;

export type OfflineDevice = {
  readonly id: string;
  readonly name: string;
  /** When the device became offline, in epoch ms. */
  readonly offlineAtMs: number;
  /** When the device was last seen, in epoch ms. */
  readonly lastSeenAtMs: number;
};

export type OfflineDevices = {
  readonly total: number;
  /** All if they are few, otherwise the latest. */
  readonly devices: readonly OfflineDevice[];
  readonly areFew: boolean;
  /** The type or the tag that explains them best; undefined if the devices are few. */
  readonly grouping: OfflineGrouping | undefined;
};

const columns = ['id', 'name', 'offline_at', 'last_seen_at'] as const;

const offlineDevice = (row: Pick<DeviceTable, (typeof columns)[number]>): OfflineDevice => ({
  id: row.id,
  name: row.name,
  offlineAtMs: Number(row.offline_at ?? 0),
  lastSeenAtMs: Number(row.last_seen_at),
});

const latestFirst = (a: OfflineDevice, b: OfflineDevice): number => b.offlineAtMs - a.offlineAtMs;

const listFew = async (db: Db): Promise<OfflineDevice[]> => {
  const rows = await db
    .selectFrom('device')
    .select(columns)
    .where('state', '=', 'offline')
    .where('deleted_at', 'is', null)
    .limit(FEW)
    .execute();
  return rows.map(offlineDevice).toSorted(latestFirst);
};

const listLatest = async (db: Db): Promise<OfflineDevice[]> => {
  const rows = await db
    .selectFrom('device')
    .select([...columns, 'deleted_at'])
    .where('state', '=', 'offline')
    .where('offline_at', 'is not', null)
    .orderBy('offline_at', 'desc')
    .limit(LATEST_ROWS)
    .execute();
  return rows.filter(({ deleted_at: deletedAt }) => deletedAt === null).map(offlineDevice);
};

const countsOf = (db: Db, name: string, minDevices: number) =>
  db
    .selectFrom('device_facet')
    .select(['name', 'value', 'offline', 'total'])
    .where('name', '=', name)
    .where('total', '>=', minDevices)
    .orderBy('total', 'desc')
    .limit(VALUES);

const listCounts = async (db: Db, offline: number): Promise<FacetCounts[]> => {
  const keys = await countsOf(db, 'tag', Math.ceil(offline / 2))
    .limit(TAGS)
    .execute();
  let counts = db.selectFrom(countsOf(db, 'type', 1).as('values')).selectAll();
  for (const { value } of keys)
    counts = counts.unionAll(db.selectFrom(countsOf(db, `tag:${value}`, 1).as('values')).selectAll());
  const rows = await counts.execute();
  return rows.map((row) => ({ ...row, offline: Number(row.offline), total: Number(row.total) }));
};

/** The offline devices, from stored counts and indexes: the cost does not depend on the number of devices. */
export const findOfflineDevices = async (db: Db): Promise<OfflineDevices> => {
  const { offline: total } = await countByState(db, null);
  if (total === 0) return { total, devices: [], areFew: true, grouping: undefined };
  if (total <= FEW) return { total, devices: await listFew(db), areFew: true, grouping: undefined };
  const grouping = chooseGrouping(total, await listCounts(db, total));
  return { total, devices: await listLatest(db), areFew: false, grouping };
};
