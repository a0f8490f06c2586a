import { useSyncExternalStore } from 'react';
import { BATCH_LIMIT } from '#contract/devices.ts';
import { queryClient } from '../../../api/query-client.ts';
import { session } from '../../../api/session.ts';
import { describeDeletion } from '../describe-deletion.ts';
import { refetchDevices } from '../device-queries.ts';
import { showToast, type ToastMessage } from '../../../ui/feedback/toast.ts';
import { formatCount, plural } from '../../../ui/format/format-number.ts';
import { changeNext, type BatchResult, type BulkChange, type BulkTarget } from './bulk-change.ts';
import { createListeners } from '../../../ui/browser/listeners.ts';

/** A change of many devices, and the words for it. */
export type BulkJob = {
  change: BulkChange;
  /** “Adding tags” */
  doing: string;
  /** “Added tags to” */
  done: string;
  /** Offered when all devices are changed. */
  next?: ToastMessage['action'];
  /** The list of devices that the run was started from, such as an entry of Activity. */
  source?: string;
};

export type BulkFailure = { id: string | null; name: string | null; reason: string };

export type BulkRun = {
  job: BulkJob;
  /** The number of devices when the run started. */
  total: number;
  changedIds: readonly string[];
  /** Number of devices to restore that were not deleted. */
  unchanged: number;
  failures: readonly BulkFailure[];
  status:
    | { is: 'running' | 'cancelling' }
    /** Stopped before the last device. Without an error: cancelled. */
    | { is: 'stopped'; rest: BulkTarget; error?: unknown }
    | { is: 'finished' };
};

/** One run at a time. It continues while the user is on another page. */
let run: BulkRun | null = null;
let token: string | null = null;
/** The sources of all runs that have changed every device. */
const finishedSources = new Set<string>();
const { subscribe, notify } = createListeners();

const setRun = (next: BulkRun | null) => {
  run = next;
  notify();
};

export const useBulkRun = (): BulkRun | null => useSyncExternalStore(subscribe, () => run);

/** Whether a run from this source has changed every device. */
export const useHasFinished = (source: string): boolean =>
  useSyncExternalStore(subscribe, () => finishedSources.has(source));

export const isRunning = ({ status }: BulkRun): boolean =>
  status.is === 'running' || status.is === 'cancelling';

export const describeDone = ({ job, changedIds }: BulkRun): string =>
  `${job.done} ${plural(changedIds.length, 'device')}`;

/** What is left to say about the devices that a restoration did not change. */
export const describeUnchanged = ({ unchanged }: BulkRun): string =>
  unchanged === 0 ? '' : `${formatCount(unchanged)} ${unchanged === 1 ? 'was' : 'were'} not deleted.`;

export const currentToken = () => {
  const current = session.get();
  return current.status === 'active' ? current.stored.token : null;
};

/** A deleted device that is deleted again was in a batch whose response was lost. */
const isDone = ({ change }: BulkJob, { ok, status }: BatchResult): boolean =>
  ok || (change.operation === 'delete' && status === 404);

const withResults = (old: BulkRun, results: readonly BatchResult[]): BulkRun => {
  const done = results.filter((result) => isDone(old.job, result));
  const failed = results.filter((result) => !isDone(old.job, result));
  const isRestoration = old.job.change.operation === 'restore';
  const changed = done.filter(({ isChanged }) => isChanged || !isRestoration);
  return {
    ...old,
    changedIds: [...old.changedIds, ...changed.flatMap(({ id }) => id ?? [])],
    unchanged: old.unchanged + done.length - changed.length,
    failures: [
      ...old.failures,
      ...failed.map(({ id, name, problem }) => ({
        id,
        name,
        reason: problem?.detail ?? 'The service rejected the change without a reason.',
      })),
    ],
  };
};

/** A reload would stop the run halfway: the browser asks first. */
const askBeforeUnload = (event: BeforeUnloadEvent) => event.preventDefault();

const finish = (finished: BulkRun) => {
  if (finished.failures.length > 0) return setRun({ ...finished, status: { is: 'finished' } });
  const { source } = finished.job;
  if (source !== undefined) finishedSources.add(source);
  setRun(null);
  const isDeletion = finished.job.change.operation === 'delete' && finished.changedIds.length > 0;
  showToast({
    title: describeDone(finished),
    ...(finished.unchanged > 0 && { detail: describeUnchanged(finished) }),
    ...(finished.job.next !== undefined && { action: finished.job.next }),
    ...(isDeletion && {
      detail: describeDeletion(finished.changedIds.length),
      action: { label: 'Undo', onSelect: () => restoreDevices(finished.changedIds) },
    }),
  });
};

/** Also the smallest: a slow connection delays each request, however few devices it changes. */
const FIRST_BATCH = 50;
/** A run of 100,000 devices needs few requests, and still reports progress and can be cancelled every half second. */
const BATCH_MS = 500;

/** The number of devices of the next batch, from the duration of the last one. */
const nextLimit = (limit: number, tookMs: number): number =>
  Math.round(Math.min(BATCH_LIMIT, 2 * limit, Math.max(FIRST_BATCH, (limit * BATCH_MS) / tookMs)));

const runBatches = async (job: BulkJob, from: BulkTarget) => {
  const isCurrent = () => run?.job === job && currentToken() === token;
  window.addEventListener('beforeunload', askBeforeUnload);
  let rest: BulkTarget | null = from;
  let limit = FIRST_BATCH;
  try {
    while (rest !== null && run?.status.is === 'running') {
      const startedMs = performance.now();
      const step: Awaited<ReturnType<typeof changeNext>> = await changeNext(rest, job.change, limit);
      if (!isCurrent()) return;
      ({ rest } = step);
      limit = nextLimit(limit, performance.now() - startedMs);
      setRun(withResults(run, step.results));
    }
    if (run === null) return;
    if (rest === null) finish(run);
    else setRun({ ...run, status: { is: 'stopped', rest } });
  } catch (error) {
    if (run !== null && isCurrent() && rest !== null)
      setRun({ ...run, status: { is: 'stopped', rest, error } });
  } finally {
    window.removeEventListener('beforeunload', askBeforeUnload);
    await refetchDevices(queryClient);
  }
};

export const startBulkRun = (job: BulkJob, target: BulkTarget, total: number) => {
  if (run !== null && isRunning(run)) {
    showToast({
      title: 'Not started',
      detail: 'Another bulk change is running. Wait until it finishes.',
      tone: 'bad',
    });
    return;
  }
  token = currentToken();
  setRun({ job, total, changedIds: [], unchanged: 0, failures: [], status: { is: 'running' } });
  void runBatches(job, target);
};

/** Restores deleted devices. */
export const restoreDevices = (ids: readonly string[], source?: string) =>
  startBulkRun(
    {
      change: { operation: 'restore' },
      doing: 'Restoring',
      done: 'Restored',
      ...(source !== undefined && { source }),
    },
    { ids },
    ids.length,
  );

export const bulkRun = {
  /** Stops after the batch that is under way: the service completes it in any case. */
  cancel: () => {
    if (run?.status.is === 'running') setRun({ ...run, status: { is: 'cancelling' } });
  },
  resume: () => {
    if (run?.status.is !== 'stopped') return;
    const { rest } = run.status;
    token = currentToken();
    setRun({ ...run, status: { is: 'running' } });
    void runBatches(run.job, rest);
  },
  undoDeletion: () => {
    if (run === null || isRunning(run)) return;
    const { changedIds } = run;
    setRun(null);
    restoreDevices(changedIds);
  },
  dismiss: () => {
    if (run !== null && !isRunning(run)) setRun(null);
  },
};

// The next user must not see the changes of another one.
session.subscribe(() => {
  if (session.get().status !== 'signed-out') return;
  finishedSources.clear();
  setRun(null);
});
