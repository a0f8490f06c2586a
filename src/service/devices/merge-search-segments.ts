import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { inWrite, type Db } from '../platform/storage/database.ts';
import type { DiskGuard } from '../platform/storage/disk-guard.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';

/** Pages that one step writes: about 3 ms of work. */
const PAGES_PER_STEP = 16;
/** The most steps of one run, so that it ends while devices are registered. A million devices take about a thousand. */
const MAX_STEPS = 10_000;
/** The wait after a step, in multiples of the time of the step. */
const WAIT_FACTOR = 4;

const countChanges = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
};

/** Merges some pages of segments. Returns how long it took; undefined: nothing was left to merge. */
const mergeNextPages = (db: Db): Promise<number | undefined> =>
  inWrite(db, async (tx) => {
    const startMs = performance.now();
    const before = await countChanges(tx);
    await sql`insert into device_search (device_search, rank) values ('merge', ${PAGES_PER_STEP})`.execute(
      tx,
    );
    // The statement itself is one change (https://www.sqlite.org/fts5.html#the_merge_command).
    return (await countChanges(tx)) - before > 1 ? performance.now() - startMs : undefined;
  });

type Options = { disk: Pick<DiskGuard, 'isScarce'>; signal: AbortSignal };

/**
 * Merges the segments of the search index. A search reads all of them, and SQLite itself merges four of a level at a time, so that an
 * index of a million devices keeps about twenty. Other work runs between the steps. Stops when the disk is nearly full, or `signal`
 * aborts.
 */
export const mergeSearchSegments = async (db: Db, { disk, signal }: Options): Promise<void> => {
  const mayMerge = () => !signal.aborted && !disk.isScarce();
  if (isPostgres(db) || !mayMerge()) return;
  await sql`insert into device_search (device_search, rank) values ('usermerge', 2)`.execute(db);
  for (let step = 0; step < MAX_STEPS && mayMerge(); step += 1) {
    const tookMs = await mergeNextPages(db);
    if (tookMs === undefined) return;
    // Rejects only when the signal aborts, which ends the loop.
    await delay(tookMs * WAIT_FACTOR, undefined, { signal }).catch(() => undefined);
  }
};
