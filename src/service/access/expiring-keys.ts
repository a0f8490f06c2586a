import type { Transact } from '../events/event-store.ts';
import { toIsoTime } from '../platform/iso-time.ts';

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
