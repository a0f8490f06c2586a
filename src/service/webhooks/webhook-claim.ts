import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';

/** Longer than a call takes; a process that was killed holds a webhook no longer than this. */
export const CLAIM_MS = 30_000;

/**
 * Serves a webhook unless another process does: several may share a PostgreSQL, and each would make every call. An
 * embedded database has one process, which keeps count in memory.
 */
export const withClaim = async (
  db: Db,
  id: string,
  nowMs: number,
  work: () => Promise<void>,
): Promise<void> => {
  if (!isPostgres(db)) return work();
  const busyUntilMs = nowMs + CLAIM_MS;
  const { numUpdatedRows } = await db
    .updateTable('webhook')
    .set({ busy_until: busyUntilMs })
    .where('id', '=', id)
    .where('busy_until', '<=', nowMs)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  try {
    await work();
  } finally {
    // Where it took too long, another process has claimed it meanwhile, which goes on.
    await db
      .updateTable('webhook')
      .set({ busy_until: 0 })
      .where('id', '=', id)
      .where('busy_until', '=', busyUntilMs)
      .execute();
  }
};
