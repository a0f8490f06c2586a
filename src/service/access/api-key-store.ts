import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type * as z from 'zod';
import type { ApiKey, apiKeysApi } from '#contract/api-keys.ts';
import type { Scope } from '#contract/scope.ts';
import { notFound } from '../platform/http/http-problem.ts';
import type { Db } from '../platform/storage/database.ts';
import type { ApiKeyTable } from './api-key-table.ts';
import { pageBy, type Ordering } from '../platform/storage/keyset.ts';
import { contains } from '../platform/http/search.ts';
import { toIsoTime, toIsoTimeOrNull } from '../platform/iso-time.ts';

export type ApiKeyRow = Selectable<ApiKeyTable>;

/** The API model of a key. It has no secret: only a digest is stored. */
export const apiKeyOf = (row: ApiKeyRow, usedLastHour: number): ApiKey => ({
  id: row.id,
  name: row.name,
  prefix: 'pen_key_',
  last4: row.last4,
  scopes: JSON.parse(row.scopes) as Scope[],
  devices: row.devices === null ? null : (JSON.parse(row.devices) as string[]),
  expiresAt: toIsoTimeOrNull(row.expires_at),
  lastUsedAt: toIsoTimeOrNull(row.last_used_at),
  lastUsedFrom: row.last_used_from,
  usedLastHour,
  lastRefusedAt: toIsoTimeOrNull(row.last_refused_at),
  lastRefusedFrom: row.last_refused_from,
  createdBy: row.created_by,
  revokedAt: toIsoTimeOrNull(row.revoked_at),
  rotatedFrom: row.rotated_from,
  createdAt: toIsoTime(row.created_at),
});

const ordering: Ordering<'api_key'> = {
  columns: {
    name: { text: 'api_key.name_key' },
    createdAt: { integer: 'api_key.created_at' },
    expiresAt: { integer: 'api_key.expires_key' },
    lastUsedAt: { integer: 'api_key.last_used_at' },
  },
  fallback: '-createdAt',
  id: 'api_key.id',
};

export const listKeys = (db: Db, query: z.output<typeof apiKeysApi.list.query>) => {
  let rows = db.selectFrom('api_key').selectAll('api_key');
  if (query.q) rows = rows.where(contains('name_key', query.q));
  if (query.revoked !== undefined) rows = rows.where('revoked_at', query.revoked ? 'is not' : 'is', null);
  return pageBy(rows, ordering, query);
};

export const findKeyByDigest = (db: Db, digest: string): Promise<ApiKeyRow | undefined> =>
  db.selectFrom('api_key').selectAll().where('digest', '=', digest).executeTakeFirst();

export const getKey = async (db: Db, id: string): Promise<ApiKeyRow> => {
  const row = await db.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('API key');
  return row;
};

export const insertKey = async (db: Db, row: Insertable<ApiKeyTable>): Promise<void> => {
  await db.insertInto('api_key').values(row).execute();
};

export const updateKey = async (db: Db, id: string, change: Updateable<ApiKeyTable>): Promise<void> => {
  await db.updateTable('api_key').set(change).where('id', '=', id).execute();
};

/** Refused uses of a key. `count`: their number since `firstAtMs`. */
export type Refusals = { count: number; firstAtMs: number; lastAtMs: number; from: string };

/** Refusals are recent, and continue, for this long: a battery-powered device may send once a day. */
export const RECENT_REFUSAL_MS = 86_400_000;

export const addRefusals = async (
  db: Db,
  id: string,
  { count, firstAtMs, lastAtMs, from }: Refusals,
): Promise<void> => {
  const continues = sql<boolean>`last_refused_at > ${firstAtMs - RECENT_REFUSAL_MS}`;
  await db
    .updateTable('api_key')
    .set({
      refused_since: sql<number>`case when ${continues} then refused_since else ${firstAtMs} end`,
      refused_count: sql<number>`case when ${continues} then refused_count else 0 end + ${count}`,
      last_refused_at: lastAtMs,
      last_refused_from: from,
    })
    .where('id', '=', id)
    .execute();
};

/** A client that is quiet for this long, and for this many of its intervals, no longer uses a key. */
const QUIET = { ms: 3_600_000, intervals: 10 };

type RefusedTimes = Pick<Selectable<ApiKeyTable>, 'refused_count' | 'refused_since' | 'last_refused_at'>;

/** Whether the client may still use the key. A single use says nothing about the next one. */
const isStillUsed = ({ refused_count, refused_since, last_refused_at }: RefusedTimes, nowMs: number) => {
  if (last_refused_at === null || refused_since === null || refused_count < 2) return true;
  const intervalMs = (last_refused_at - refused_since) / (refused_count - 1);
  return nowMs - last_refused_at <= Math.max(QUIET.ms, QUIET.intervals * intervalMs);
};

/** The keys that clients still use although they are revoked or expired. */
export const listRefusedKeys = async (db: Db, nowMs: number) => {
  const rows = await db
    .selectFrom('api_key')
    .select([
      'id',
      'name',
      'revoked_at',
      'refused_since',
      'refused_count',
      'last_refused_at',
      'last_refused_from',
    ])
    .where('last_refused_at', '>', nowMs - RECENT_REFUSAL_MS)
    .execute();
  return rows.filter((row) => isStillUsed(row, nowMs));
};
