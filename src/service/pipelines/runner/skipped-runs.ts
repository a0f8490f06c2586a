/** Messages in a row that an expression skipped. Times are epoch ms. */
export type SkippedRun = { readonly count: number; readonly sinceMs: number; readonly lastAtMs: number };

const LEAST_MESSAGES = 20;
/** A run is unusual if it is so many times as long as the longest one before. */
const UNUSUAL_FACTOR = 5;

type Runs = { isAccepting: boolean; longest: number; current: SkippedRun | undefined };

/**
 * Finds pipelines whose expression has stopped returning samples, as if their messages had changed. Kept in memory: after
 * a restart, an expression must return samples before it can stop.
 */
export const createSkippedRuns = () => {
  const runsOf = new Map<string, Runs>();
  const isUnusual = ({ isAccepting, longest, current }: Runs): boolean =>
    isAccepting &&
    current !== undefined &&
    current.count >= Math.max(LEAST_MESSAGES, UNUSUAL_FACTOR * longest);
  const find = (pipelineId: string): Runs =>
    runsOf.get(pipelineId) ?? { isAccepting: false, longest: 0, current: undefined };
  return {
    accepted: (pipelineId: string): void => {
      const { isAccepting, longest, current } = find(pipelineId);
      // The usual case: nothing changes.
      if (isAccepting && current === undefined) return;
      runsOf.set(pipelineId, {
        isAccepting: true,
        longest: Math.max(longest, current?.count ?? 0),
        current: undefined,
      });
    },
    skipped: (pipelineId: string, atMs: number): void => {
      const { current, ...runs } = find(pipelineId);
      const { count, sinceMs } = current ?? { count: 0, sinceMs: atMs };
      runsOf.set(pipelineId, { ...runs, current: { count: count + 1, sinceMs, lastAtMs: atMs } });
    },
    /** Starts a new run, because the pipeline has changed. */
    restart: (pipelineId: string): void =>
      void runsOf.set(pipelineId, { ...find(pipelineId), current: undefined }),
    /** The unusual run of a pipeline; undefined: none. */
    find: (pipelineId: string): SkippedRun | undefined => {
      const runs = find(pipelineId);
      return isUnusual(runs) ? runs.current : undefined;
    },
    delete: (pipelineId: string): void => void runsOf.delete(pipelineId),
  };
};
