import { medianStepMs, stateGapMs } from '../series/gaps.ts';
import { addToRuns, type LiveStates, type StateRun } from '../live/live-states.ts';
import type { TimeSpan } from '../live/live-window.ts';
import type { StateSeries } from '../series/series.ts';

interface PreparedStates {
  runs: readonly StateRun[];
  gapMs: number;
  /** How long the last state before a gap is assumed to hold. */
  stepMs: number;
}

const prepared = new WeakMap<StateSeries['columns'], PreparedStates>();

function prepare({ columns }: StateSeries): PreparedStates {
  const known = prepared.get(columns);
  if (known !== undefined) return known;
  const { ts, value, bucketMs = 0 } = columns;
  const gapMs = stateGapMs(ts, 0, ts.length);
  const runs: StateRun[] = [];
  for (const [row, each] of value.entries()) addToRuns(runs, ts[row]!, each, gapMs);
  const stepMs = Math.max(bucketMs, gapMs === Infinity ? 0 : medianStepMs(ts, 0, ts.length));
  const made = { runs, gapMs, stepMs };
  prepared.set(columns, made);
  return made;
}

/**
 * The visible states, oldest first. A state holds until the next sample; before a gap it ends one step after its last
 * sample.
 */
export function stateRunsOf(series: StateSeries, live: LiveStates | undefined, span: TimeSpan): StateRun[] {
  const history = prepare(series);
  const lastMs = history.runs.at(-1)?.to ?? -Infinity;
  const later = (live?.runs ?? []).filter((run) => run.to > lastMs);
  const liveGapMs = live === undefined ? Infinity : stateGapMs(live.recentTs, 0, live.recentTs.length);
  const gapMs = Math.min(history.gapMs, liveGapMs);
  const stepMs = Math.max(history.stepMs, gapMs === Infinity ? 0 : gapMs / 3);

  const all = [...history.runs, ...later.map((run) => ({ ...run, from: Math.max(run.from, lastMs) }))];
  const drawn: StateRun[] = [];
  for (const [index, run] of all.entries()) {
    const nextMs = all[index + 1]?.from ?? span.toMs;
    const isHeld = nextMs - run.to <= gapMs;
    const to = isHeld ? Math.max(run.to, nextMs) : run.to + stepMs;
    if (to <= span.fromMs || run.from >= span.toMs) continue;
    const last = drawn.at(-1);
    if (last !== undefined && last.value === run.value && last.to >= run.from) last.to = to;
    else drawn.push({ from: run.from, to, value: run.value });
  }
  return drawn;
}
