import type { Transact } from '../events/event-store.ts';
import { toIsoTime } from '../platform/iso-time.ts';
import type { Db } from '../platform/storage/database.ts';

const DAY_MS = 86_400_000;

/** Days before expiry at which an event is recorded. The dashboard warns from the first of them. */
const WARNINGS_DAYS = [14, 1] as const;
export const LAST_WARNING_DAYS = 1;

/** Records `api-key.expiring` for each key with a due warning: 14 days and 1 day before expiry. */
export const warnOfExpiringKeys = async ({
  transact,
  now,
}: {
  transact: Transact;
  now: () => number;
}): Promise<void> => {
  const nowMs = now();
  await transact(async (tx, recordEvents) => {
    for (const days of WARNINGS_DAYS.toReversed()) {
      const due = await tx
        .updateTable('api_key')
        .set({ warned_days: days })
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', nowMs)
        .where('expires_at', '<=', nowMs + days * DAY_MS)
        .where((where) => where.or([where('warned_days', 'is', null), where('warned_days', '>', days)]))
        .returning(['id', 'name', 'expires_at'])
        .execute();
      await recordEvents(
        ...due.map(({ id, name, expires_at }) => ({
          type: 'api-key.expiring' as const,
          subject: { type: 'api-key', id, name },
          actor: null,
          data: { expiresAt: toIsoTime(expires_at ?? 0) },
          at: nowMs,
        })),
      );
    }
  });
};

/** The largest number of keys that are listed one by one. */
const LISTED = 5;

/**
 * The keys in use that expire within 14 days, the earliest first: all keys if there are at most 5, else the first 6. A
 * rotated key counts only if it was used after its successor was created.
 */
export const findExpiringKeys = async (db: Db, nowMs: number) => {
  const expiring = db
    .selectFrom('api_key as key')
    .leftJoin(
      (from) =>
        from
          .selectFrom('api_key')
          .select(({ fn }) => ['rotated_from', fn.max('created_at').as('createdAtMs')])
          .where('rotated_from', 'is not', null)
          .groupBy('rotated_from')
          .as('next'),
      (join) => join.onRef('next.rotated_from', '=', 'key.id'),
    )
    .where('key.expires_key', '>', nowMs)
    .where('key.expires_key', '<=', nowMs + WARNINGS_DAYS[0] * DAY_MS)
    .where('key.revoked_at', 'is', null)
    .where('key.last_used_at', '>', 0)
    .where((where) =>
      where.or([
        where('next.createdAtMs', 'is', null),
        where('next.createdAtMs', '<', where.ref('key.last_used_at')),
      ]),
    );
  const first = await expiring
    .select(['key.id', 'key.name', 'key.expires_key as expiresAtMs', 'key.last_used_from as usedFrom'])
    .orderBy('key.expires_key')
    .limit(LISTED + 1)
    .execute();
  if (first.length <= LISTED) return { first, total: first.length, areFew: true };
  const { total } = await expiring
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { first, total: Number(total), areFew: false };
};
export type ExpiringKeys = Awaited<ReturnType<typeof findExpiringKeys>>;
