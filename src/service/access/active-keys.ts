import type { Db } from '../platform/storage/database.ts';
import { slicesOf, VALUES_PER_QUERY } from '../platform/storage/slices.ts';

/** Returns the given keys that exist and are neither revoked nor expired. */
export const findActiveKeys = async (
  db: Db,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> => {
  const active = new Set<string>();
  for (const some of slicesOf(ids, VALUES_PER_QUERY)) {
    const rows = await db
      .selectFrom('api_key')
      .select('id')
      .where('id', 'in', some)
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', nowMs)]))
      .execute();
    for (const { id } of rows) active.add(id);
  }
  return active;
};
