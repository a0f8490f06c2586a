import { sql } from 'kysely';
import { deviceStates, type DeviceState } from '#contract/device-filter.ts';
import { FACET_DEVICES, type DeviceFacets } from '#contract/devices.ts';
import { foldCase } from '#contract/fold-case.ts';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import { createWorkQueue } from '../platform/http/work-queue.ts';
import type { Db } from '../platform/storage/database.ts';
import type { Reader } from './device-search.ts';
import { countByState } from './device-store.ts';
import { createTally, noCounts, tagKeyOf, type Counts, type FacetQuery } from './device-tally.ts';
import { matchingDevices } from './matching-devices.ts';

/** Counts that read devices at the same time. */
const SCANS = 2;
/** Counts that wait for them. */
const WAITING_SCANS = 30;

type Options = {
  /** The largest number of matching devices that one count reads. */
  maxDevices?: number;
};

type Request = Reader & { isAwaited: IsAwaited };

/** Counts devices by a property. Without filters other than the state, the counts are stored. */
export const createDeviceFacets = (db: Db, { maxDevices = FACET_DEVICES }: Options = {}) => {
  const runScan = createWorkQueue({ maxRunning: SCANS, maxWaiting: WAITING_SCANS, tasks: 'counts' });
  return (query: FacetQuery, request: Request): Promise<DeviceFacets> => {
    const { q, type, tag, silentFor, withoutTag } = query;
    const isFiltered = Boolean(q || type || tag || silentFor || withoutTag);
    const isStored = request.only === null && !isFiltered;
    if (!isStored) return runScan(() => countMatching(db, query, { ...request, maxDevices }));
    return query.by === 'state' ? readStates(db, query) : readStored(db, query);
  };
};

const readStates = async (db: Db, query: FacetQuery): Promise<DeviceFacets> => {
  const tally = createTally('state');
  const counts = await countByState(db, null);
  for (const state of query.state ?? deviceStates)
    if (counts[state] > 0) tally.add(state, state, counts[state]);
  return tally.result(query, true);
};

const columns = {
  online: 'online',
  late: 'late',
  offline: 'offline',
  'never-seen': 'never_seen',
} as const satisfies Record<DeviceState, string>;

type StoredCounts = Record<(typeof columns)[DeviceState], number>;

const countsOf = (row: StoredCounts, chosen: readonly DeviceState[]): Counts => {
  const counts = noCounts();
  for (const state of chosen) {
    counts.byState[state] = Number(row[columns[state]]);
    counts.total += counts.byState[state];
  }
  return counts;
};

/** Above every text that begins with the same characters. */
const LAST_CHARACTER = '\u{10ffff}';

const readStored = async (
  db: Db,
  { by, prefix = '', state, limit, sort }: FacetQuery,
): Promise<DeviceFacets> => {
  const chosen = state ?? deviceStates;
  const sumOf = (states: readonly DeviceState[]) =>
    sql.join(
      states.map((name) => sql.ref(columns[name])),
      sql` + `,
    );
  // The column `total` has an index.
  const matching = state === undefined ? sql<number>`total` : sql<number>`(${sumOf(state)})`;
  const start = foldCase(prefix);
  let values = db
    .selectFrom('device_facet')
    .where('name', '=', by)
    .where(sql<boolean>`${matching} > 0`);
  if (start !== '')
    values = values.where('value_key', '>=', start).where('value_key', '<', start + LAST_CHARACTER);
  let page = values.selectAll().limit(limit);
  if (sort === '-offline')
    for (const column of ['offline', 'late'] as const)
      if (chosen.includes(column)) page = page.orderBy(column, 'desc');
  const rows = await page.orderBy(matching, 'desc').orderBy('value_key').orderBy('value').execute();
  const counted = await values.select((is) => is.fn.countAll<number>().as('count')).executeTakeFirst();
  return {
    data: rows.map((row) => ({ value: row.value, ...countsOf(row, chosen) })),
    without: by === 'tag' ? null : await countWithout(db, by, chosen),
    total: Number(counted?.count ?? 0),
    isComplete: true,
  };
};

/** All devices, less those that have the property. */
const countWithout = async (db: Db, by: string, chosen: readonly DeviceState[]): Promise<Counts> => {
  let having = db.selectFrom('device_facet');
  having =
    by === 'type'
      ? having.where('name', '=', 'type')
      : having.where('name', '=', 'tag').where('value', '=', tagKeyOf(by) ?? '');
  const sums = await having
    .select((is) =>
      Object.values(columns).map((column) => is.fn.coalesce(is.fn.sum<number>(column), is.lit(0)).as(column)),
    )
    .executeTakeFirstOrThrow();
  const all = await countByState(db, null);
  const counts = countsOf(sums, chosen);
  // A device may change between the two reads.
  for (const state of chosen) counts.byState[state] = Math.max(0, all[state] - counts.byState[state]);
  counts.total = chosen.reduce((sum, state) => sum + counts.byState[state], 0);
  return counts;
};

type Scan = Request & Required<Options>;

const countMatching = async (
  db: Db,
  query: FacetQuery,
  { isAwaited, maxDevices, ...reader }: Scan,
): Promise<DeviceFacets> => {
  const tally = createTally(query.by);
  requireAwaited(isAwaited);
  let counted = 0;
  for await (const devices of matchingDevices(db, query, reader)) {
    requireAwaited(isAwaited);
    for (const row of devices.slice(0, maxDevices - counted)) tally.addRow(row);
    counted += devices.length;
    if (counted > maxDevices) return tally.result(query, false);
  }
  return tally.result(query, true);
};
