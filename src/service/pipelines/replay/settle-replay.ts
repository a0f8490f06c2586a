import { countValues } from '../destinations/destination.ts';
import { rejectionsByReason } from '../rejections/rejected-message.ts';
import { rejectedIn, type Channel, type Stored } from '../ingest/store-messages.ts';
import { newId } from '../../platform/storage/new-id.ts';
import type { RejectedMessage } from '../rejections/rejection-store.ts';

/** How many values the rejections of a message stand for. */
export const valuesOf = (rows: RejectedMessage): number =>
  rows.reduce((sum, { value_count }) => sum + value_count, 0);

/** What becomes of the rejections of a message, and of the ledger, by what became of the message now. */
export const settleReplay = (old: RejectedMessage, outcome: Stored, { isSpooled }: Channel) => {
  const before = valuesOf(old);
  // Only the last of equal rejections is stored. Its outcome applies to all of them.
  const { occurrences } = old[0];
  const rejectedOnce = rejectedIn(outcome);
  const rejected = rejectedOnce * occurrences;
  const { skipped, overwritten } = outcome;
  // Delivered before, or rejected by a rejection that is no longer kept: counted already.
  const alreadyCounted = old[0].message_values - before;
  // What goes to the spool goes out whole once more, and is counted once more.
  const counted = isSpooled
    ? countValues(outcome.spooled)
    : // Another mapping may make other values of what was delivered; those of a replay that was cut off are there already.
      Math.max(outcome.fresh, outcome.received - skipped - alreadyCounted / occurrences - rejectedOnce);
  const [delivered, pending] = isSpooled ? [0, counted] : [counted, 0];
  const unclaimed = [...old];
  const claimRow = (reason: string) => {
    const index = unclaimed.findIndex((row) => row.reason === reason);
    return index < 0 ? undefined : unclaimed.splice(index, 1)[0];
  };
  const rejections = rejectionsByReason(outcome.rejections).map((rejection) => ({
    cause: rejection,
    row: claimRow(rejection.reason),
  }));
  const rows = rejections.map(
    ({ cause: rejection, row = unclaimed.shift() ?? { ...old[0], id: newId('rej') } }) => ({
      ...row,
      ...rejection,
      value_count: rejection.value_count * occurrences,
      attempts: row.attempts + 1,
      // Later equal rejections have not been replayed, so they are not counted with this one.
      digest: null,
      message_values: (isSpooled ? 0 : alreadyCounted) + counted + rejected,
    }),
  );
  const ledger = {
    received: counted + rejected + skipped - before,
    delivered,
    pending,
    rejected: rejected - before,
    skipped,
    overwritten,
  };
  return { rows, ledger, outcome: { replayed: counted, rejected, skipped } };
};
