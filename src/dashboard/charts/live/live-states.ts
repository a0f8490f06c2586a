import { FOLDED, type LiveNumbers } from './live-numbers.ts';
import { regularStepMs, stateEndMs } from '../series/gaps.ts';

/** A period of one state, from its first sample (epoch ms) to its last. */
export interface StateRun {
  from: number;
  to: number;
  value: boolean | string;
  /** Before a gap: the state is assumed to hold until then. Left out: it holds until the next run. */
  endMs?: number;
}

/** Extends the last run by a sample, or starts another: on another value, or after a gap, which ends it at `endMs`. */
export function addToRuns(
  runs: StateRun[],
  ts: number,
  value: boolean | string,
  endMs: number | undefined,
): void {
  const last = runs.at(-1);
  if (last !== undefined && endMs !== undefined) last.endMs = endMs;
  else if (last?.value === value) {
    last.to = ts;
    return;
  }
  runs.push({ from: ts, to: ts, value });
}

const MAX_RUNS = 5_000;
const MAX_TIMES = 16;

/** Live booleans or strings of one series, stored as runs, and the number of their samples by time. */
export class LiveStates {
  /** To count samples: each is a 1. */
  readonly #samples: LiveNumbers;
  readonly runs: StateRun[] = [];
  /** Times of the latest samples, from which the usual step follows. */
  readonly recentTs: number[] = [];

  constructor(samples: LiveNumbers) {
    this.#samples = samples;
  }

  push(ts: ArrayLike<number>, value: readonly (boolean | string)[]): void {
    for (const [row, each] of value.entries()) {
      const at = ts[row]!;
      // A late sample is left to the next query.
      const last = this.recentTs.at(-1) ?? -Infinity;
      if (at <= last) continue;
      this.#samples.push([at], [1]);
      addToRuns(this.runs, at, each, stateEndMs({ lastMs: last, nextMs: at, stepBeforeMs: this.stepMs() }));
      this.recentTs.push(at);
      if (this.recentTs.length > MAX_TIMES) this.recentTs.shift();
    }
    this.runs.splice(0, this.runs.length - MAX_RUNS);
  }

  /** The usual step of the latest samples. */
  stepMs(): number | undefined {
    return regularStepMs(this.recentTs, this.recentTs.length - 1, -1);
  }

  /** The samples within `span` that are later than `afterMs`. A bucket belongs to the middle of what it covers. */
  countIn({ fromMs, toMs }: { fromMs: number; toMs: number }, afterMs: number): number {
    const { raw, folded, bucketMs } = this.#samples;
    const isIn = (ts: number) => ts > afterMs && ts >= fromMs && ts < toMs;
    let total = 0;
    const [buckets, counts] = [folded.ts, folded.column(FOLDED.count)];
    const rawMs = raw.length === 0 ? Infinity : raw.ts[raw.start]!;
    for (let row = folded.start; row < folded.end; row += 1) {
      const at = buckets[row]!;
      if (isIn((at + Math.min(at + bucketMs, rawMs)) / 2)) total += counts[row]!;
    }
    for (let row = raw.start; row < raw.end; row += 1) if (isIn(raw.ts[row]!)) total += 1;
    return total;
  }

  dropBefore(ts: number): void {
    this.#samples.dropBefore(ts);
    const kept = this.runs.findIndex((run) => run.to >= ts);
    // The run before the window stays: its state may still hold.
    this.runs.splice(0, (kept === -1 ? this.runs.length : kept) - 1);
  }
}
