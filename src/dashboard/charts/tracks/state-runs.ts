import { regularStepMs, stateEndMs } from '../series/gaps.ts';
import { addToRuns, type LiveStates, type StateRun } from '../live/live-states.ts';
import type { TimeSpan } from '../series/time-span.ts';
import type { StateSeries } from '../series/series.ts';

interface PreparedStates {
  runs: readonly StateRun[];
  /** The usual step of the last samples. */
  stepMs: number | undefined;
}

const prepared = new WeakMap<StateSeries['columns'], PreparedStates>();

/** Decides gaps by the local step on both sides, so a device may change its interval. */
function prepare({ columns }: StateSeries): PreparedStates {
  const known = prepared.get(columns);
  if (known !== undefined) return known;
  const { ts, value, bucketMs = 0 } = columns;
  const runs: StateRun[] = [];
  for (const [row, each] of value.entries()) {
    const nextMs = ts[row]!;
    const endMs =
      row === 0
        ? undefined
        : stateEndMs({
            lastMs: ts[row - 1]!,
            nextMs,
            bucketMs,
            stepBeforeMs: regularStepMs(ts, row - 1, -1),
            stepAfterMs: regularStepMs(ts, row, 1),
          });
    addToRuns(runs, nextMs, each, endMs);
  }
  const made = { runs, stepMs: regularStepMs(ts, ts.length - 1, -1) };
  prepared.set(columns, made);
  return made;
}

/** Where a state ends that is followed by silence until `nextMs`. */
const endOf = ({ to }: StateRun, nextMs: number, stepMs: number | undefined): number =>
  stateEndMs({ lastMs: to, nextMs, stepBeforeMs: stepMs }) ?? Math.max(to, nextMs);

/**
 * The visible states, oldest first. A state holds until the next sample; before a gap it ends one step after its last
 * sample.
 */
export function stateRunsOf(series: StateSeries, live: LiveStates | undefined, span: TimeSpan): StateRun[] {
  const history = prepare(series);
  const lastMs = history.runs.at(-1)?.to ?? -Infinity;
  const later = (live?.runs ?? []).filter((run) => run.to > lastMs);
  const all = [...history.runs, ...later.map((run) => ({ ...run, from: Math.max(run.from, lastMs) }))];
  const drawn: StateRun[] = [];
  for (const [index, run] of all.entries()) {
    const next = all[index + 1];
    const isLastOfHistory = index === history.runs.length - 1;
    // Only the end of the history and the end of all samples are followed by an unknown silence.
    const stepMs = next === undefined ? (live?.stepMs() ?? history.stepMs) : history.stepMs;
    const to =
      run.endMs ??
      (next === undefined || isLastOfHistory
        ? endOf(run, next?.from ?? span.toMs, stepMs)
        : Math.max(run.to, next.from));
    if (to <= span.fromMs || run.from >= span.toMs) continue;
    const last = drawn.at(-1);
    if (last !== undefined && last.value === run.value && last.to >= run.from) last.to = to;
    else drawn.push({ from: run.from, to, value: run.value });
  }
  return drawn;
}
