import type { StateReasonCode } from '#contract/pipeline-state.ts';

/** What makes a pipeline degraded or failed. Times are of the monotonic clock, in ms. */
export type HealthFault = {
  readonly state: 'degraded' | 'failed';
  readonly code: StateReasonCode;
  readonly detail: string;
  readonly sinceMs: number;
  /** When it was last observed. */
  readonly seenMs: number;
};

/** `lastedMs`: how long the reason has applied. */
export type LastingReason = {
  readonly code: StateReasonCode;
  readonly detail: string;
  readonly lastedMs: number;
};
export type HealthState =
  | { readonly state: 'running'; readonly reason: null }
  | { readonly state: 'degraded' | 'failed'; readonly reason: LastingReason };

const SEVERITY = { running: 0, degraded: 1, failed: 2 };

/**
 * Turns faults into states that do not flap. A pipeline fails at once. Every other change waits until the state has
 * lasted for `holdMs`, and a state ends only when its faults have been over for `holdMs`. `before`: the state before
 * the service was restarted.
 */
export const createStateHysteresis = ({
  now,
  holdMs,
  before,
}: {
  now: () => number;
  holdMs: number;
  before: HealthState | undefined;
}) => {
  let state = before?.state ?? 'running';
  let changedMs = before === undefined ? Number.NEGATIVE_INFINITY : now();
  /** When a fault of this state, or of a worse one, was last observed. */
  let seenMs = changedMs;
  let fault: Pick<HealthFault, 'code' | 'detail' | 'sinceMs'> | undefined =
    before?.reason == null ? undefined : { ...before.reason, sinceMs: now() - before.reason.lastedMs };
  /** Since when this state has no fault any more. */
  let recoveringMs = before?.reason?.code === 'recovering' ? now() - before.reason.lastedMs : undefined;

  const mayChange = (found: HealthFault | undefined): boolean => {
    const next = found?.state ?? 'running';
    if (next === 'failed') return true;
    const isWorse = SEVERITY[next] > SEVERITY[state];
    return now() - changedMs >= holdMs && (isWorse || now() - seenMs >= holdMs);
  };

  return (found: HealthFault | undefined): HealthState => {
    const next = found?.state ?? 'running';
    if (next !== state && mayChange(found)) {
      state = next;
      changedMs = now();
      seenMs = Number.NEGATIVE_INFINITY;
      recoveringMs = undefined;
      if (state === 'running') fault = undefined;
    }
    if (state === 'running') return { state, reason: null };
    if (found !== undefined && SEVERITY[found.state] >= SEVERITY[state]) {
      seenMs = Math.max(seenMs, found.seenMs);
      recoveringMs = undefined;
      // A fault that returns while the state lasts is still the same fault.
      const sinceMs = fault?.code === found.code ? Math.min(fault.sinceMs, found.sinceMs) : found.sinceMs;
      fault = { code: found.code, detail: found.detail, sinceMs };
      return { state, reason: { code: found.code, detail: found.detail, lastedMs: now() - sinceMs } };
    }
    recoveringMs ??= now();
    return { state, reason: { code: 'recovering', detail: '', lastedMs: now() - recoveringMs } };
  };
};
