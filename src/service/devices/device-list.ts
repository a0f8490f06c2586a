import type { Expression, SqlBool } from 'kysely';
import type { deviceListQuery } from '#contract/devices.ts';
import type * as z from 'zod';
import { createPause } from '../platform/event-loop.ts';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import { firstPageOf, pageBy, positionOf, type Ordering } from '../platform/storage/keyset.ts';
import { readSearch } from '../platform/http/search.ts';
import {
  countWithTag,
  devicesWithTag,
  filterConditions,
  notDeleted,
  tagOf,
  type Reader,
} from './device-conditions.ts';
import { countMatches, findNextMatches, indexedWords, toMatchExpression } from './device-search.ts';
import { deviceOf, LISTED_COLUMNS } from './device-store.ts';
import { deviceWindows } from './device-windows.ts';
import { createFindRareParts } from './find-rare-parts.ts';

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

/** Counts by reading all devices, in about half of the time of the main thread. Stops once nobody waits for the count. */
const countInWindows = async (
  db: Db,
  where: readonly Expression<SqlBool>[],
  isAwaited: IsAwaited,
): Promise<number> => {
  let total = 0;
  const pause = createPause();
  for await (const window of deviceWindows(db)) {
    requireAwaited(isAwaited);
    const counted = await db
      .selectFrom(window)
      .select((is) => is.fn.countAll<number>().as('devices'))
      .where((is) => is.and(where))
      .executeTakeFirst();
    total += Number(counted?.devices ?? 0);
    await pause();
  }
  return total;
};

/** The parts of a list's query that do not select devices. */
const NOT_FILTERS: ReadonlySet<string> = new Set(['sort', 'cursor', 'limit', 'total']);

/** The name of the only filter, if the list covers all devices and is sorted by name. */
const findSoleFilterName = (query: Filter, { only }: Reader): string | undefined => {
  if (only !== null || !isByName(query)) return undefined;
  const filters = Object.entries(query).filter(
    ([name, value]) => value !== undefined && value !== '' && !NOT_FILTERS.has(name),
  );
  return filters.length === 1 ? filters[0]?.[0] : undefined;
};

type AwaitedReader = Reader & { isAwaited: IsAwaited };

/** Returns a function that reads a page of devices. `isAwaited`: whether the count of `total=true` is still needed. */
export const createDeviceList = (db: Db) => {
  const findRareParts = createFindRareParts(db);

  /** Lists the devices that contain folded words, by the search index. */
  const listMatches = async (words: readonly string[], query: Filter, isAwaited: IsAwaited) => {
    const found = await findNextMatches(db, words, {
      parts: await findRareParts(words),
      after: positionOf(ordering, query),
      isDescending: query.sort === '-name',
      limit: query.limit + 1,
    });
    const page = firstPageOf(found, ordering, query);
    if (query.total !== true) return page;
    return { ...page, total: await countMatches(db, toMatchExpression(words), { isAwaited }) };
  };

  const listWithTag = (text: string, query: Filter) => {
    const tag = tagOf(text);
    const devices = db.selectFrom(devicesWithTag(db, tag)).select(LISTED_COLUMNS).where(notDeleted());
    return pageBy(devices, ordering, query, () => countWithTag(db, tag));
  };

  const listFiltered = async (query: Filter, { isAwaited, ...reader }: AwaitedReader) => {
    const { where, matchesFew, count: countStored, inOrderOfTag } = await filterConditions(db, query, reader);
    // PostgreSQL counts in a process of its own, and by its index of names.
    const isCounted = matchesFew || isPostgres(db);
    const count = countStored ?? (isCounted ? undefined : () => countInWindows(db, where, isAwaited));
    const ofTag = isByName(query) ? inOrderOfTag : undefined;
    const devices =
      ofTag === undefined ? db.selectFrom('device') : db.selectFrom(devicesWithTag(db, ofTag.tag));
    const matching = devices.select(LISTED_COLUMNS).where((is) => is.and(ofTag?.where ?? where));
    return pageBy(matching, ordering, query, count);
  };

  const listRows = (query: Filter, request: AwaitedReader) => {
    const filter = findSoleFilterName(query, request);
    const { q = '', tag: [tag, ...otherTags] = [] } = query;
    const words = readSearch(q);
    if (filter === 'q' && words.length > 0 && indexedWords(db, words).length === words.length)
      return listMatches(words, query, request.isAwaited);
    if (filter === 'tag' && tag !== undefined && otherTags.length === 0) return listWithTag(tag, query);
    return listFiltered(query, request);
  };

  return async (query: Filter, request: AwaitedReader) => {
    const { rows, ...page } = await listRows(query, request);
    return { data: rows.map(deviceOf), ...page };
  };
};

/** A page of devices, as rows. */
export const deviceRowsOf = async (db: Db, query: Filter, reader: Reader) => {
  const { where, count } = await filterConditions(db, query, reader);
  const devices = db.selectFrom('device').where((is) => is.and(where));
  return pageBy(devices.selectAll('device'), ordering, query, count);
};
