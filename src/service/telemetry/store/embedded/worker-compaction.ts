import type { SampleStore } from './sample-store.ts';

/** How long a compaction works between two requests, and how long while writes wait for it. */
const SLICE_MS = 5;
const LONG_SLICE_MS = 15;
/** The wait after a compaction that failed. */
const RETRY_MS = { first: 1_000, longest: 30_000 };
/** How far the journal may pass its limits while no compaction succeeds. */
const MAX_BACKLOG = 2;

/** Compacts the journal of a store in slices, and retries after failures. */
export const createWorkerCompaction = (
  store: Pick<SampleStore, 'compact' | 'isBehind' | 'backlog'>,
  onFailure: (error: unknown) => void,
) => {
  /** A compaction has begun and not ended. */
  let isRunning = false;
  /** Why the last slice failed, when the next one runs, and how long it waits if that fails too. */
  let failure: unknown;
  let retryAtMs = 0;
  let pauseMs = RETRY_MS.first;

  return {
    get isRunning() {
      return isRunning;
    },
    /** Writes should wait for it. It lets them pass while it fails. */
    mustFinishFirst: (): boolean => failure === undefined && store.isBehind,
    /** @throws the failure if no compaction succeeds and the journal has passed its limits */
    requireShortJournal: (): void => {
      if (failure !== undefined && store.backlog > MAX_BACKLOG) throw failure;
    },
    /** Works on it between two requests. */
    advance: (): void => {
      if (performance.now() < retryAtMs) return;
      try {
        isRunning = store.compact(store.isBehind ? LONG_SLICE_MS : SLICE_MS);
        failure = undefined;
        pauseMs = RETRY_MS.first;
      } catch (error) {
        // The journal keeps the samples. Reads and writes go on, until it is too long (requireShortJournal).
        isRunning = false;
        failure = error;
        onFailure(error);
        retryAtMs = performance.now() + pauseMs;
        pauseMs = Math.min(pauseMs * 2, RETRY_MS.longest);
      }
    },
  };
};
