import { sql } from 'kysely';
import type { ClockJump } from './platform/clock.ts';
import type { RecordEvents } from './events/event-store.ts';
import type { Db, Schema } from './platform/storage/database.ts';
import { moveThroughputBack } from './pipelines/runner/throughput-store.ts';
import { SIGNIN_MS } from './access/signin-link.ts';
import { toIsoTime } from './platform/iso-time.ts';

/** Columns with times in the past: after the clock is set back, none of them may be in the future. */
export const PAST_TIMES = {
  device: ['last_seen_at'],
  api_key: ['last_used_at', 'last_refused_at', 'refused_since'],
  session: ['last_used_at'],
  pipeline: ['last_message_at', 'last_error_at', 'state_reason_since'],
  destination: ['last_delivered_at', 'last_error_at'],
  webhook: ['last_delivered_at', 'last_error_at'],
  rejection: ['at', 'first_at'],
  whole_message: ['at'],
  spool_batch: ['created_at'],
  unrouted_topic: ['first_at', 'last_at'],
  overwrite: ['first_at', 'last_at'],
} as const satisfies Partial<Record<keyof Schema, readonly string[]>>;

const movePastTimesBack = async (tx: Db, { toMs, jumpMs }: ClockJump): Promise<void> => {
  for (const [table, columns] of Object.entries(PAST_TIMES))
    for (const column of columns) {
      const at = sql.ref(column);
      await sql`update ${sql.table(table)}
        set ${at} = case when ${at} + ${jumpMs} > ${toMs} then ${toMs} else ${at} + ${jumpMs} end
        where ${at} > ${toMs}`.execute(tx);
    }
  for (const table of ['webhook_call', 'webhook_digest'] as const)
    await tx
      .updateTable(table)
      .set((is) => ({ due_at: is('due_at', '+', jumpMs) }))
      .execute();
  // A sign-in link is valid for ten minutes at most.
  await tx
    .updateTable('signin')
    .set({ expires_at: toMs + SIGNIN_MS })
    .where('expires_at', '>', toMs + SIGNIN_MS)
    .execute();
};

/**
 * Moves stored times that measure a duration by a jump of the clock. Events, telemetry, and the expiry of sessions and
 * keys stay as they are: they refer to the wall clock. `startPresence` corrects the device states.
 */
export const correctStoredTimes = async (
  tx: Db,
  recordEvents: RecordEvents,
  jump: ClockJump,
): Promise<void> => {
  const { fromMs, toMs, jumpMs } = jump;
  await tx
    .updateTable('device')
    .set((is) => ({ deleted_at: is('deleted_at', '+', jumpMs) }))
    .where('deleted_at', 'is not', null)
    .execute();
  await tx
    .updateTable('idempotency')
    .set((is) => ({ created_at: is('created_at', '+', jumpMs) }))
    .execute();
  if (jumpMs < 0) {
    await movePastTimesBack(tx, jump);
    await moveThroughputBack(tx, toMs);
  }
  await recordEvents({
    type: 'service.clock-jumped',
    subject: { type: 'service', id: '', name: 'The service clock' },
    actor: null,
    data: {
      from: toIsoTime(fromMs),
      to: toIsoTime(toMs),
      jumpSeconds: jumpMs / 1_000,
    },
    at: toMs,
  });
};
