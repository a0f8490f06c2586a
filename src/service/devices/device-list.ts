import type { Expression, SqlBool } from 'kysely';
import type { deviceListQuery } from '#contract/devices.ts';
import type * as z from 'zod';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { pageBy, positionOf, type Ordering } from '../platform/storage/keyset.ts';
import { devicesWithTag, filterConditions, notDeleted, type Reader } from './device-conditions.ts';
import { countMatches, isNextMatch, phraseOf } from './device-search.ts';
import { deviceOf, LISTED } from './device-store.ts';
import { deviceWindows } from './device-windows.ts';

const ordering: Ordering<'device'> = {
  columns: {
    name: { text: 'device.name_key' },
    externalId: { text: 'device.external_id' },
    type: { text: 'device.type' },
    state: { text: 'device.state' },
    lastSeenAt: { integer: 'device.last_seen_at' },
    createdAt: { integer: 'device.created_at' },
    id: { text: 'device.id' },
  },
  fallback: 'name',
  id: 'device.id',
};

type Filter = Omit<z.output<typeof deviceListQuery>, 'sort'> & { sort?: string | undefined };

const isByName = ({ sort = ordering.fallback }: Filter): boolean => sort === 'name' || sort === '-name';

/** Counts by reading all devices, with other work in between. Stops once nobody waits for the count. */
const countInWindows = async (
  db: Db,
  where: readonly Expression<SqlBool>[],
  isAwaited: IsAwaited,
): Promise<number> => {
  let total = 0;
  for await (const window of deviceWindows(db)) {
    requireAwaited(isAwaited);
    const counted = await db
      .selectFrom(window)
      .select((is) => is.fn.countAll<number>().as('devices'))
      .where((is) => is.and(where))
      .executeTakeFirst();
    total += Number(counted?.devices ?? 0);
  }
  return total;
};

/** The parts of a list's query that do not select devices, and the text to search for. */
const NOT_FILTERS: ReadonlySet<string> = new Set(['q', 'sort', 'cursor', 'limit', 'total']);

/** The text to search for, if the index of SQLite finds the devices of a list in its order. */
const phraseOfList = (db: Db, query: Filter, { only }: Reader): string | undefined => {
  const { q } = query;
  const isFiltered =
    only !== null ||
    Object.entries(query).some(([name, value]) => value !== undefined && !NOT_FILTERS.has(name));
  return q && !isFiltered && isByName(query) ? phraseOf(db, q) : undefined;
};

/** A page of devices that match a text, in the order of names. */
const listMatches = (db: Db, phrase: string, query: Filter, isAwaited: IsAwaited) => {
  const page = {
    after: positionOf(ordering, query),
    isDescending: query.sort === '-name',
    limit: query.limit + 1,
  };
  const matching = db
    .selectFrom('device')
    .select(LISTED)
    .where((is) => is.and([notDeleted(), isNextMatch(phrase, page)]));
  return pageBy(matching, ordering, query, () => countMatches(db, phrase, { isAwaited }));
};

/** A page of devices. `isAwaited`: whether the count of `total=true` is still needed. */
export const listDevices = async (
  db: Db,
  query: Filter,
  { isAwaited, ...reader }: Reader & { isAwaited: IsAwaited },
) => {
  const phrase = phraseOfList(db, query, reader);
  if (phrase !== undefined) {
    const { rows, ...page } = await listMatches(db, phrase, query, isAwaited);
    return { data: rows.map(deviceOf), ...page };
  }
  const { where, matchesFew, count: countStored, inOrderOfTag } = await filterConditions(db, query, reader);
  // PostgreSQL counts in a process of its own, and by its index of names.
  const isIndexed = matchesFew || isPostgres(db);
  const count = countStored ?? (isIndexed ? undefined : () => countInWindows(db, where, isAwaited));
  const ofTag = isByName(query) ? inOrderOfTag : undefined;
  const devices =
    ofTag === undefined ? db.selectFrom('device') : db.selectFrom(devicesWithTag(db, ofTag.tag));
  const matching = devices.select(LISTED).where((is) => is.and(ofTag?.where ?? where));
  const { rows, ...page } = await pageBy(matching, ordering, query, count);
  return { data: rows.map(deviceOf), ...page };
};

/** A page of devices, as rows. */
export const deviceRowsOf = async (db: Db, query: Filter, reader: Reader) => {
  const { where, count } = await filterConditions(db, query, reader);
  const devices = db.selectFrom('device').where((is) => is.and(where));
  return pageBy(devices.selectAll('device'), ordering, query, count);
};
