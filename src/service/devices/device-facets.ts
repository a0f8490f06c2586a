import { sql } from 'kysely';
import { deviceStates, type DeviceState } from '#contract/device-filter.ts';
import { FACET_DEVICES, type DeviceFacet, type DeviceFacets } from '#contract/devices.ts';
import { foldCase } from '#contract/fold-case.ts';
import { nextIteration } from '../platform/event-loop.ts';
import { requireAwaited } from '../platform/http/awaited.ts';
import { createWorkQueue, type QueuedRead } from '../platform/http/work-queue.ts';
import type { Db } from '../platform/storage/database.ts';
import type { Reader } from './device-conditions.ts';
import type { DeviceFacetTable } from './device-table.ts';
import { countByState } from './device-store.ts';
import {
  createTally,
  firstFacets,
  noCounts,
  tagKeyOf,
  type Counts,
  type FacetQuery,
} from './device-tally.ts';
import { matchingDevices } from './matching-devices.ts';

/** Counts that read devices at the same time. */
const SCANS = 2;
/** Counts that wait for them. */
const WAITING_SCANS = 30;

type Options = {
  /** The largest number of matching devices that one count reads. */
  maxDevices?: number;
};

type Request = Reader & QueuedRead;

/** Counts devices by a property. Without filters other than the state, the counts are stored. */
export const createDeviceFacets = (db: Db, { maxDevices = FACET_DEVICES }: Options = {}) => {
  const runScan = createWorkQueue({ maxRunning: SCANS, maxWaiting: WAITING_SCANS, tasks: 'counts' });
  return async (query: FacetQuery, request: Request): Promise<DeviceFacets> => {
    const { q, type, tag, silentFor, withoutTag } = query;
    const isFiltered = Boolean(q || type || tag || silentFor || withoutTag);
    const isStored = request.only === null && !isFiltered;
    if (!isStored) return runScan(() => countMatching(db, query, { ...request, maxDevices }), request.group);
    if (query.by === 'state') return readStates(db, query);
    if (query.state === undefined && !query.prefix) return readStored(db, query);
    const read = () => readSomeStored(db, query, request);
    // One window takes a few milliseconds, and need not wait for counts that read many.
    return (await readSize(db, query.by)) <= VALUES_PER_WINDOW ? read() : runScan(read, request.group);
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

/** The values of a property. */
const facetsOf = (db: Db, by: string) => db.selectFrom('device_facet').selectAll().where('name', '=', by);

/** The values of a property, the most common first. The index device_facet_by_total has this order. */
const byTotal = (db: Db, by: string) =>
  facetsOf(db, by).orderBy('total', 'desc').orderBy('value_key').orderBy('value');

const hasOffline = sql<boolean>`(offline > 0 or late > 0)`;

/** Sorts by offline, then by late devices, then like `byTotal`. */
const readByOffline = async (db: Db, by: string, limit: number): Promise<DeviceFacetTable[]> => {
  const rows = await facetsOf(db, by)
    .where(hasOffline)
    .orderBy('offline', 'desc')
    .orderBy('late', 'desc')
    .orderBy('total', 'desc')
    .orderBy('value_key')
    .orderBy('value')
    .limit(limit)
    .execute();
  if (rows.length === limit) return rows;
  const listed = new Set(rows.map(({ value }) => value));
  const others = await byTotal(db, by)
    .where(sql<boolean>`not ${hasOffline}`)
    .limit(limit - rows.length)
    .execute();
  // A device may change between the two reads.
  return [...rows, ...others.filter(({ value }) => !listed.has(value))];
};

/** The number of values of a property. */
const readSize = async (db: Db, by: string): Promise<number> => {
  const stored = await db
    .selectFrom('device_facet_size')
    .select('size')
    .where('name', '=', by)
    .executeTakeFirst();
  return Number(stored?.size ?? 0);
};

/** The first values of a property, from the stored counts. */
const readStored = async (db: Db, { by, limit, sort }: FacetQuery): Promise<DeviceFacets> => {
  const rows =
    sort === '-offline' ? await readByOffline(db, by, limit) : await byTotal(db, by).limit(limit).execute();
  return {
    data: rows.map((row) => ({ value: row.value, ...countsOf(row, deviceStates) })),
    without: by === 'tag' ? null : await countWithout(db, by, deviceStates),
    total: await readSize(db, by),
    isComplete: true,
  };
};

/** The number of values in one read. */
const VALUES_PER_WINDOW = 2_000;

/** Reads the values of a property that begin with `prefix` in windows, with other work in between. */
async function* facetWindows(db: Db, { by, prefix = '' }: FacetQuery) {
  const start = foldCase(prefix);
  let values = facetsOf(db, by);
  if (start !== '')
    values = values.where('value_key', '>=', start).where('value_key', '<', start + LAST_CHARACTER);
  const inOrder = values.orderBy('value_key').orderBy('value').limit(VALUES_PER_WINDOW);
  for (let window = inOrder; ;) {
    const rows = await window.execute();
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < VALUES_PER_WINDOW) return;
    window = inOrder.where(sql<boolean>`(value_key, value) > (${last.value_key}, ${last.value})`);
    await nextIteration();
  }
}

/** The first values of a property for the devices in some states, or of the values that begin with a prefix. */
const readSomeStored = async (
  db: Db,
  query: FacetQuery,
  { isAwaited }: Pick<Request, 'isAwaited'>,
): Promise<DeviceFacets> => {
  const { by, state = deviceStates } = query;
  let first: (DeviceFacet & { key: string })[] = [];
  let total = 0;
  for await (const rows of facetWindows(db, query)) {
    requireAwaited(isAwaited);
    const facets = rows
      .map((row) => ({ value: row.value, ...countsOf(row, state), key: `${row.value_key}\n${row.value}` }))
      .filter((facet) => facet.total > 0);
    total += facets.length;
    first = firstFacets([...first, ...facets], query);
  }
  return {
    data: first.map(({ key: _, ...facet }) => facet),
    without: by === 'tag' ? null : await countWithout(db, by, state),
    total,
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
