import type { Db } from '../storage/database.ts';

const KEYS_PER_QUERY = 500;

/** Those of the keys that are neither revoked nor expired nor gone. */
export const findLivingKeys = async (
  db: Db,
  ids: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> => {
  const living = new Set<string>();
  for (let start = 0; start < ids.length; start += KEYS_PER_QUERY) {
    const rows = await db
      .selectFrom('api_key')
      .select('id')
      .where('id', 'in', ids.slice(start, start + KEYS_PER_QUERY))
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', nowMs)]))
      .execute();
    for (const { id } of rows) living.add(id);
  }
  return living;
};
