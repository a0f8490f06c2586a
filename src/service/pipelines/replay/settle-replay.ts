import { countSamples } from '../destinations/destination.ts';
import { rejectionsByReason } from '../rejections/rejected-message.ts';
import { rejectedIn, type Stored } from '../ingest/message-work.ts';
import type { Channel } from '../ingest/submission.ts';
import { newId } from '../../platform/storage/new-id.ts';
import type { RejectedMessage } from '../rejections/rejection-store.ts';

/** The number of samples in the rejections of a message. */
export const countRejected = (rows: RejectedMessage): number =>
  rows.reduce((sum, { value_count }) => sum + value_count, 0);

/** The changes to the rejections of a message and to the ledger, after the message was replayed. */
export const settleReplay = (old: RejectedMessage, outcome: Stored, { isSpooled }: Channel) => {
  const before = countRejected(old);
  // Only the last of equal rejections is stored. Its outcome applies to all of them.
  const { occurrences } = old[0];
  const rejectedOnce = rejectedIn(outcome);
  const rejected = rejectedOnce * occurrences;
  const { skipped, overwritten } = outcome;
  // Delivered before, or rejected with a rejection that was deleted: already counted.
  const alreadyCounted = old[0].message_values - before;
  // With an external destination, the whole message is delivered and counted again.
  const counted = isSpooled
    ? countSamples(outcome.spooled)
    : // A new mapping may yield other samples. Samples of an interrupted replay are already stored. A
      // store that counts no repeats reports none as new.
      Math.max(outcome.newlyStored, outcome.received - skipped - alreadyCounted / occurrences - rejectedOnce);
  const [delivered, pending] = isSpooled ? [0, counted] : [counted, 0];
  const unclaimed = [...old];
  const claimRow = (reason: string) => {
    const index = unclaimed.findIndex((row) => row.reason === reason);
    return index < 0 ? undefined : unclaimed.splice(index, 1)[0];
  };
  const rejections = rejectionsByReason(outcome.rejections).map((rejection) => ({
    rejection,
    row: claimRow(rejection.reason),
  }));
  const rows = rejections.map(
    ({ rejection, row = unclaimed.shift() ?? { ...old[0], id: newId('rej') } }) => ({
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
