import type { Expression, SqlBool } from 'kysely';
import type { DeviceFilter } from '#contract/device-filter.ts';
import type { deviceListQuery } from '#contract/devices.ts';
import type * as z from 'zod';
import type { SearchWord } from '#contract/search-words.ts';
import { createPause } from '../platform/event-loop.ts';
import { requireAwaited, type IsAwaited } from '../platform/http/awaited.ts';
import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';
import {
  firstPageOf,
  isDescending,
  pageBy,
  positionOf,
  sortNameOf,
  type Ordering,
  type Page,
} from '../platform/storage/keyset.ts';
import { readSearch } from '../platform/http/search.ts';
import type { QueuedRead } from '../platform/http/work-queue.ts';
import { checksOf, filterConditions, findByName, type Reader } from './device-conditions.ts';
import { countMatches, findNextMatches, indexedWords, toMatchExpression } from './device-search.ts';
import { LISTED_COLUMNS, type DeviceRow, type ListedDevice } from './device-store.ts';
import { deviceWindows } from './device-windows.ts';
import { createFindRareParts } from './find-rare-parts.ts';
import { createDeviceScan, type ScanOptions } from './scan-devices.ts';

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

type Query = Omit<z.output<typeof deviceListQuery>, 'sort'> & { sort?: string | undefined };

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
const findSoleFilterName = (query: Query, { only }: Reader): string | undefined => {
  if (only !== null || sortNameOf(ordering, query) !== 'name') return undefined;
  const filters = Object.entries(query).filter(
    ([name, value]) => value !== undefined && value !== '' && !NOT_FILTERS.has(name),
  );
  return filters.length === 1 ? filters[0]?.[0] : undefined;
};

type QueuedReader = Reader & QueuedRead;

/** Returns a function that reads a page of devices as rows. */
export const createDeviceList = (db: Db, options: ScanOptions = {}) => {
  const findRareParts = createFindRareParts(db);
  const scanDevices = createDeviceScan(db, options);

  /** Lists the devices that contain words, by the search index. */
  const listMatches = async (words: readonly SearchWord[], query: Query, isAwaited: IsAwaited) => {
    const found = await findNextMatches(db, words, {
      parts: await findRareParts(words),
      after: positionOf(ordering, query),
      isDescending: isDescending(ordering, query),
      limit: query.limit + 1,
    });
    const page = firstPageOf(found, ordering, query);
    if (query.total !== true) return page;
    return { ...page, total: await countMatches(db, toMatchExpression(words), { isAwaited }) };
  };

  const listFiltered = async (query: Query, request: QueuedReader) => {
    const { where, countAll, planList } = await filterConditions(db, query, request);
    const devices = db
      .selectFrom('device')
      .select(LISTED_COLUMNS)
      .where((is) => is.and(where));
    // PostgreSQL reads in a process of its own, and chooses its indexes by statistics.
    const plan = isPostgres(db) ? undefined : planList(sortNameOf(ordering, query));
    if (plan === undefined) return pageBy(devices, ordering, query, countAll);
    const page = await scanDevices({ ordering, ...plan }, query, request);
    if (query.total !== true) return page;
    return { ...page, total: (await countAll()) ?? (await countInWindows(db, where, request.isAwaited)) };
  };

  return (query: Query, request: QueuedReader): Promise<Page<ListedDevice>> => {
    const filter = findSoleFilterName(query, request);
    const words = readSearch(query.q ?? '');
    if (filter === 'q' && words.length > 0 && indexedWords(db, words).length === words.length)
      return listMatches(words, query, request.isAwaited);
    const sole = filter === undefined ? undefined : findByName(db, query);
    if (sole === undefined) return listFiltered(query, request);
    return pageBy(sole.devices.select().select(LISTED_COLUMNS), ordering, query, sole.count);
  };
};

/** Of the devices with these IDs, all columns of those that match a filter, in the order of their IDs. */
export const readMatching = (
  db: Db,
  ids: readonly string[],
  filter: DeviceFilter,
  nowMs: number,
): Promise<DeviceRow[]> =>
  db
    .selectFrom('device')
    .selectAll('device')
    .where('device.id', 'in', ids.length === 0 ? [''] : [...ids])
    .where((is) => is.and(checksOf(db, filter, nowMs)))
    .orderBy('device.id')
    .execute();
