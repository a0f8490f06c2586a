import type { Transact } from '../../events/event-store.ts';
import type { Lease } from '../../platform/storage/lease.ts';
import { isUnwritable } from '../../platform/storage/disk-full.ts';
import { stateChanged } from '../definition/pipeline-events.ts';
import { stateOf, stateReasonOf, updateState, type PipelineRow } from '../definition/pipeline-store.ts';
import type { HealthState, LastingReason } from './state-hysteresis.ts';

const reasonColumns = (reason: LastingReason | null, nowMs: number) => ({
  state_reason: reason?.code ?? null,
  state_reason_since: reason === null ? null : Math.round(nowMs - reason.lastedMs),
});

/** Writes the state of a pipeline to the database and to `row`, with an event, if it changed. Returns whether it did. */
export const updatePipelineState = async (
  { transact, lease, now }: { transact: Transact; lease: Pick<Lease, 'requireHeld'>; now: () => number },
  row: PipelineRow,
  { state, reason }: HealthState,
): Promise<boolean> => {
  const isSameReason = row.state_reason === (reason?.code ?? null);
  const error = reason === null || reason.code === 'recovering' ? null : reason.detail;
  if (row.state === state && isSameReason && (error === null || row.last_error === error)) return false;
  const change = {
    state,
    ...(isSameReason ? {} : reasonColumns(reason, now())),
    ...(error === null ? {} : { last_error: error, last_error_at: now() }),
  };
  const before = stateOf(row);
  const isWritten = await transact(async (tx, recordEvents) => {
    await lease.requireHeld(tx);
    if (!(await updateState(tx, row.id, before, change))) return false;
    if (before !== state)
      await recordEvents(
        stateChanged(row, { from: before, to: state, reason: error, actor: null, at: now() }),
      );
    return true;
  }).catch((failure: unknown) => {
    // The next tick evaluates the pipeline again.
    if (isUnwritable(failure)) return false;
    throw failure;
  });
  if (isWritten) Object.assign(row, change);
  return isWritten;
};

/** What `updatePipelineState` wrote before a restart, or at another process. */
export const storedHealth = (row: PipelineRow, nowMs: number): HealthState | undefined => {
  const reason = stateReasonOf(row);
  if (reason === null || (row.state !== 'degraded' && row.state !== 'failed')) return undefined;
  const { code, detail, since } = reason;
  return { state: row.state, reason: { code, detail, lastedMs: Math.max(0, nowMs - Date.parse(since)) } };
};
