import { findActiveKeys } from '../access/active-keys.ts';
import type { Actor } from '../platform/http/auth.ts';
import type { Db } from '../platform/storage/database.ts';
import { slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';

/** Returns the given sessions that are neither closed nor expired nor idle for too long. */
const findActiveSessions = async (db: Db, ids: readonly string[], nowMs: number): Promise<Set<string>> => {
  const active = new Set<string>();
  for (const some of slicesOf(ids, VALUES_PER_QUERY)) {
    const rows = await db
      .selectFrom('session')
      .select(['id', 'last_used_at', 'idle_ms'])
      .where('id', 'in', some)
      .where('expires_at', '>', nowMs)
      .execute();
    for (const row of rows) if (Number(row.last_used_at) + Number(row.idle_ms) > nowMs) active.add(row.id);
  }
  return active;
};

/** Returns the given actors that are still active. A session ends with the key that opened it. */
export const findActiveActors = async (
  db: Db,
  actors: readonly Actor[],
  nowMs: number,
): Promise<(actor: Actor) => boolean> => {
  const sessionIds = actors.flatMap(({ kind, id }) => (kind === 'session' ? [id] : []));
  const keyIds = actors.flatMap(({ key }) => (key === null ? [] : [key.id]));
  const sessions = await findActiveSessions(db, [...new Set(sessionIds)], nowMs);
  const keys = await findActiveKeys(db, [...new Set(keyIds)], nowMs);
  return ({ kind, id, key }) =>
    (kind !== 'session' || sessions.has(id)) && (key === null || keys.has(key.id));
};
