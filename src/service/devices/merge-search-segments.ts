import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { inWrite, type Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';

/** Pages that one step writes: about 3 ms of work. */
const PAGES_PER_STEP = 16;
/** After each step, other work has this many times its duration. */
const PAUSE = 4;

const changesOf = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ changes: number }>`select total_changes() as changes`.execute(db);
  return rows[0]?.changes ?? 0;
};

/** Merges some pages of segments. Returns whether any were left to merge. */
const mergeSome = (db: Db): Promise<boolean> =>
  inWrite(db, async (tx) => {
    const before = await changesOf(tx);
    await sql`insert into device_search (device_search, rank) values ('merge', ${PAGES_PER_STEP})`.execute(
      tx,
    );
    // The statement itself is one change (https://www.sqlite.org/fts5.html#the_merge_command).
    return (await changesOf(tx)) - before > 1;
  });

/**
 * Merges the segments of the search index. A search reads all segments, and SQLite itself merges them only in fours, so that an index
 * of a million devices has about twenty. Other work runs between the steps. Ends early when `signal` is aborted.
 */
export const mergeSearchSegments = async (db: Db, signal: AbortSignal): Promise<void> => {
  if (isPostgres(db)) return;
  await sql`insert into device_search (device_search, rank) values ('usermerge', 2)`.execute(db);
  while (!signal.aborted) {
    const start = performance.now();
    if (!(await mergeSome(db))) return;
    // Rejects only when the signal is aborted, which ends the loop.
    await pause((performance.now() - start) * PAUSE, undefined, { signal }).catch(() => undefined);
  }
};
