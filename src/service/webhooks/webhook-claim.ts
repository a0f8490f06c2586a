import type { Db } from '../platform/storage/database.ts';
import { isPostgres } from '../platform/storage/dialects/is-postgres.ts';

/** Longer than a delivery takes. The claim of a killed process expires after this time. */
export const CLAIM_MS = 30_000;

/**
 * Runs work for a webhook unless another process serves it: several processes may share a PostgreSQL database, and each
 * would send every delivery. An embedded database has only one process, which needs no claim.
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
    // If the claim has expired, another process may have claimed the webhook, and keeps it.
    await db
      .updateTable('webhook')
      .set({ busy_until: 0 })
      .where('id', '=', id)
      .where('busy_until', '=', busyUntilMs)
      .execute();
  }
};
