import { sql } from 'kysely';
import type * as z from 'zod';
import {
  deviceStates,
  FACET_DEVICES,
  type DeviceFacet,
  type DeviceFacets,
  type deviceFacetsQuery,
  type DeviceState,
  type Tags,
} from '#contract/devices.ts';
import { foldCase } from '#contract/text.ts';
import { nextIteration } from '../platform/event-loop.ts';
import type { Db } from '../platform/storage/database.ts';
import { countByState, filterConditions, type DeviceRow, type Reader } from './device-store.ts';

type Query = z.output<typeof deviceFacetsQuery>;
type Counts = Omit<DeviceFacet, 'value'>;

const noCounts = (): Counts => ({ total: 0, byState: { online: 0, late: 0, offline: 0, 'never-seen': 0 } });

/** Counts devices by a property. Without filters other than the state, the counts are stored. */
export const countFacets = (db: Db, query: Query, reader: Reader): Promise<DeviceFacets> => {
  const { q, type, tag, silentFor, withoutTag } = query;
  const isFiltered = Boolean(q || type || tag || silentFor || withoutTag);
  const isStored = reader.only === null && !isFiltered;
  if (!isStored) return countMatching(db, query, reader);
  return query.by === 'state' ? readStates(db, query) : readStored(db, query);
};

const readStates = async (db: Db, query: Query): Promise<DeviceFacets> => {
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

const readStored = async (db: Db, { by, prefix = '', state, limit, sort }: Query): Promise<DeviceFacets> => {
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
      : having.where('name', '=', 'tag').where('value', '=', by.slice('tag:'.length));
  const sums = await having
    .select((is) =>
      Object.values(columns).map((column) => is.fn.coalesce(is.fn.sum<number>(column), is.lit(0)).as(column)),
    )
    .executeTakeFirstOrThrow();
  const all = await countByState(db, null);
  const counts = countsOf(sums, chosen);
  for (const state of chosen) counts.byState[state] = all[state] - counts.byState[state];
  counts.total = chosen.reduce((sum, state) => sum + counts.byState[state], 0);
  return counts;
};

const columnsOfRow = ['device.state', 'device.type', 'device.tags'] as const;
type Row = Pick<DeviceRow, 'state' | 'type' | 'tags'>;

/** Up to this number of matches are read at once. */
const FEW = 1_000;
/** Devices that are read at a time, so that other work can run in between. */
const ROWS_PER_WINDOW = 2_000;

const countMatching = async (db: Db, query: Query, reader: Reader): Promise<DeviceFacets> => {
  const tally = createTally(query.by);
  const conditions = await filterConditions(db, query, reader);
  const first = await db
    .selectFrom('device')
    .select(columnsOfRow)
    .where((is) => is.and(conditions))
    .limit(FEW + 1)
    .execute();
  if (first.length <= FEW) {
    for (const row of first) tally.addRow(row);
    return tally.result(query, true);
  }
  let counted = 0;
  for (let after = ''; ;) {
    const end = await db
      .selectFrom('device')
      .select('id')
      .where('id', '>', after)
      .orderBy('id')
      .offset(ROWS_PER_WINDOW - 1)
      .limit(1)
      .executeTakeFirst();
    // The limit keeps the planner from reading all matches by another index for each window.
    const window = db
      .selectFrom('device')
      .selectAll()
      .where('id', '>', after)
      .where('id', '<=', end?.id ?? LAST_CHARACTER)
      .orderBy('id')
      .limit(ROWS_PER_WINDOW);
    const rows = await db
      .selectFrom(window.as('device'))
      .select(columnsOfRow)
      .where((is) => is.and(conditions))
      .execute();
    for (const row of rows) tally.addRow(row);
    counted += rows.length;
    if (end === undefined) return tally.result(query, true);
    if (counted >= FACET_DEVICES) return tally.result(query, false);
    after = end.id;
    await nextIteration();
  }
};

const valuesOf = ({ state, type, tags }: Row, by: string): string[] => {
  if (by === 'state') return [state];
  if (by === 'type') return type === '' ? [] : [type];
  const all = JSON.parse(tags) as Tags;
  if (by === 'tag') return Object.keys(all);
  const key = by.slice('tag:'.length);
  return Object.hasOwn(all, key) ? [all[key]!] : [];
};

const createTally = (by: string) => {
  const byValue = new Map<string, Counts>();
  const without = noCounts();
  /** `value` undefined: devices without the property. */
  const add = (value: string | undefined, state: string, devices = 1): void => {
    const counts = value === undefined ? without : (byValue.get(value) ?? noCounts());
    if (value !== undefined) byValue.set(value, counts);
    counts.total += devices;
    counts.byState[state as DeviceState] += devices;
  };
  return {
    add,
    addRow: (row: Row): void => {
      const values = valuesOf(row, by);
      for (const value of values.length === 0 ? [undefined] : values) add(value, row.state);
    },
    result: ({ prefix = '', sort, limit }: Query, isComplete: boolean): DeviceFacets => {
      const start = foldCase(prefix);
      const facets = [...byValue]
        .map(([value, counts]) => ({ value, ...counts, key: `${foldCase(value)}\n${value}` }))
        .filter(({ key }) => key.startsWith(start))
        .toSorted(
          (a, b) =>
            (sort === '-offline'
              ? b.byState.offline - a.byState.offline || b.byState.late - a.byState.late
              : 0) ||
            b.total - a.total ||
            (a.key < b.key ? -1 : 1),
        );
      return {
        data: facets.slice(0, limit).map(({ key: _, ...facet }) => facet),
        without: by === 'state' || by === 'tag' ? null : without,
        total: facets.length,
        isComplete,
      };
    },
  };
};
