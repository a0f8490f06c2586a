import { createPause } from '../platform/event-loop.ts';
import { requireAwaited } from '../platform/http/awaited.ts';
import { createWorkQueue, type QueuedRead } from '../platform/http/work-queue.ts';
import type { Db } from '../platform/storage/database.ts';
import {
  firstPageOf,
  isDescending,
  positionIn,
  positionOf,
  rowsBetween,
  sortColumnOf,
  type Ordering,
  type Page,
  type Position,
} from '../platform/storage/keyset.ts';
import { countDevices, type ListPlan } from './device-conditions.ts';
import { LISTED_COLUMNS, type ListedDevice } from './device-store.ts';

/** Devices in a window. */
const WINDOW = { least: 100, most: 8_000 };
/** The first window has this number of times the devices that a page is expected to take. */
const SPARE = 2;
/** How long the number of all devices is used for the size of windows. */
const TOTAL_VALID_MS = 10_000;
const TURN_MS = 6;
/** Scans at the same time. The first turn of a scan is not counted. */
const SCANS = 2;
const WAITING_SCANS = 30;

/** `turnMs`: how long a list is read before other work. */
export type ScanOptions = { turnMs?: number };

type PageQuery = { limit: number; cursor?: string | undefined; sort?: string | undefined };
type Scan = ListPlan & { ordering: Ordering<'device'> };

/** Above every ID. */
const LAST_ID = '\u{10ffff}';

/** The positions between which a list is read. */
const endsOf = (
  { ordering, range }: Pick<Scan, 'ordering' | 'range'>,
  query: PageQuery,
): { start?: Position; end?: Position } => {
  if (range === undefined) return {};
  const least = { key: range.least, id: '' };
  const greatest = { key: range.greatest, id: LAST_ID };
  return isDescending(ordering, query) ? { start: greatest, end: least } : { start: least, end: greatest };
};

/** As many devices as a page takes, if the conditions do not depend on each other. */
const firstSize = (page: number, counts: readonly number[], total: number): number => {
  const share = counts.reduce((product, count) => product * Math.min(1, count / Math.max(1, total)), 1);
  return Math.min(WINDOW.most, Math.max(WINDOW.least, Math.ceil((SPARE * page) / share)));
};

/** A window takes at most half of a turn. */
const nextSize = (size: number, tookMs: number, turnMs: number): number => {
  if (tookMs > turnMs / 2) return Math.max(WINDOW.least, Math.ceil(size / 2));
  return tookMs < turnMs / 4 ? Math.min(2 * size, WINDOW.most) : size;
};

/**
 * Returns a function that reads a page of devices in the order of an index, and checks each device for conditions. It reads them in
 * windows, with other work in between, because a million devices may have to be read to find a page.
 */
export const createDeviceScan = (db: Db, { turnMs = TURN_MS }: ScanOptions = {}) => {
  const runScan = createWorkQueue({ maxRunning: SCANS, maxWaiting: WAITING_SCANS, tasks: 'lists' });

  let total = 0;
  let totalReadAtMs = -Infinity;
  const readTotal = async (): Promise<number> => {
    if (performance.now() > totalReadAtMs + TOTAL_VALID_MS) {
      total = await countDevices(db);
      totalReadAtMs = performance.now();
    }
    return total;
  };

  return async (
    { ordering, devices, range, where, counts }: Scan,
    query: PageQuery,
    { isAwaited, group }: QueuedRead,
  ): Promise<Page<ListedDevice>> => {
    const found = new Map<string, ListedDevice>();
    const { start, end } = endsOf({ ordering, range }, query);
    let after = positionOf(ordering, query) ?? start;

    /** The position of the last device of a window; undefined: fewer devices are left, or all of them match. */
    const endOfWindow = async (size: number): Promise<Position | undefined> => {
      if (where.length === 0) return undefined;
      const positions = rowsBetween(devices.selectPositions(), ordering, query, { after, until: end });
      const last = await positions
        .select(['device.id', sortColumnOf(ordering, query)])
        .offset(size - 1)
        .limit(1)
        .executeTakeFirst();
      return last && positionIn(ordering, query, last);
    };

    /** Reads a window. Returns whether the page is complete. */
    const readWindow = async (size: number): Promise<boolean> => {
      const until = await endOfWindow(size);
      const matching = devices
        .select()
        .select(LISTED_COLUMNS)
        .where((is) => is.and([...where]));
      const rows = rowsBetween(matching, ordering, query, { after, until: until ?? end });
      const missing = query.limit + 1 - found.size;
      const read = await rows.limit(missing).execute();
      // A device whose sort value has changed during the scan stays where it was found first.
      for (const row of read) if (!found.has(row.id)) found.set(row.id, row);
      const last = read.length === missing ? read.at(-1) : undefined;
      after = last === undefined ? until : positionIn(ordering, query, last);
      return after === undefined || found.size > query.limit;
    };

    let size = where.length === 0 ? 0 : firstSize(query.limit + 1, counts, await readTotal());
    /** Returns whether the page is complete. */
    const readTurn = async (): Promise<boolean> => {
      const endsAt = performance.now() + turnMs;
      let startedAt: number;
      do {
        startedAt = performance.now();
        if (await readWindow(size)) return true;
        size = nextSize(size, performance.now() - startedAt, turnMs);
      } while (performance.now() < endsAt);
      return false;
    };

    if (!(await readTurn()))
      await runScan(async () => {
        const pause = createPause();
        do {
          await pause();
          requireAwaited(isAwaited);
        } while (!(await readTurn()));
      }, group);
    return firstPageOf([...found.values()], ordering, query);
  };
};
