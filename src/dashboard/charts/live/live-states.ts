import { stateGapMs } from '../series/gaps.ts';

/** A period of one state, from its first sample (epoch ms) to its last, or to its assumed end. */
export interface StateRun {
  from: number;
  to: number;
  value: boolean | string;
}

/** Extends the last run by a sample, or starts another: on another value or after a gap. */
export function addToRuns(runs: StateRun[], ts: number, value: boolean | string, gapMs: number): void {
  const last = runs.at(-1);
  if (last !== undefined && last.value === value && ts - last.to <= gapMs) last.to = ts;
  else runs.push({ from: ts, to: ts, value });
}

const MAX_RUNS = 5_000;
const MAX_TIMES = 129;

/** Live booleans or strings of one series, stored as runs, so that a constant state costs nothing. */
export class LiveStates {
  readonly runs: StateRun[] = [];
  /** Times of the latest samples, from which the usual step follows. */
  readonly recentTs: number[] = [];

  push(ts: ArrayLike<number>, value: readonly (boolean | string)[]): void {
    const gapMs = stateGapMs(this.recentTs, 0, this.recentTs.length);
    for (const [row, each] of value.entries()) {
      const at = ts[row]!;
      // A late sample is left to the next query.
      if (at <= (this.recentTs.at(-1) ?? -Infinity)) continue;
      this.recentTs.push(at);
      addToRuns(this.runs, at, each, gapMs);
    }
    this.runs.splice(0, this.runs.length - MAX_RUNS);
    this.recentTs.splice(0, this.recentTs.length - MAX_TIMES);
  }

  dropBefore(ts: number): void {
    const kept = this.runs.findIndex((run) => run.to >= ts);
    // The run before the window stays: its state may still hold.
    this.runs.splice(0, (kept === -1 ? this.runs.length : kept) - 1);
  }
}
