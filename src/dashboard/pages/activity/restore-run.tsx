import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { describeError } from '../../api/api-error.ts';
import { BulkRunStatus } from '../../resources/devices/bulk/bulk-run-status.tsx';
import {
  currentToken,
  isRunning,
  restoreDevices,
  useBulkRun,
  useHasFinished,
} from '../../resources/devices/bulk/bulk-run.ts';
import { readRunDevices } from '../../resources/events/event-queries.ts';
import { runIdOf, type Run } from '../../resources/events/event-run.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CountedProgress } from '../../ui/feedback/counted-progress.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';

/** Reads the devices of a run of deletions, then restores them. */
const useRestoration = (run: Run, source: string) => {
  /** The token with which devices are read. Null: none are being read. */
  const [token, setToken] = useState<string | null>(null);
  const [readCount, setReadCount] = useState(0);
  const stop = () => setToken(null);
  const restore = useEffectEvent((ids: readonly string[]) => {
    // Another user may have signed in meanwhile.
    if (currentToken() === token) restoreDevices(ids, source);
    stop();
  });
  const report = useEffectEvent((error: unknown) => {
    const { detail } = describeError(error);
    showToast({ title: 'The devices were not restored', detail, tone: 'bad' });
    stop();
  });
  const readDevices = useEffectEvent((signal: AbortSignal) => readRunDevices(run, signal, setReadCount));
  useEffect(() => {
    if (token === null) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const read = async () => {
      try {
        const ids = await readDevices(signal);
        if (!signal.aborted) restore(ids);
      } catch (error) {
        if (!signal.aborted) report(error);
      }
    };
    void read();
    return () => controller.abort();
  }, [token]);
  return {
    /** Null: no devices are being read. */
    readCount: token === null ? null : readCount,
    start: () => {
      setReadCount(0);
      setToken(currentToken());
    },
    stop,
  };
};

/** Restores the devices of a run of deletions. */
export const RestoreRun = ({ run }: { run: Run }) => {
  const source = runIdOf(run);
  const bulkRun = useBulkRun();
  const restoration = bulkRun?.job.source === source ? bulkRun : null;
  const isRestored = useHasFinished(source);
  const { readCount, start, stop } = useRestoration(run, source);
  const { count } = run.run;
  const isReading = readCount !== null && readCount > 0;
  const isRestoring = restoration !== null && isRunning(restoration);
  const region = useRef<HTMLDivElement>(null);
  useKeptFocus(region, `${isReading} ${restoration?.status.is} ${isRestored}`);
  return (
    <div ref={region} className="flex flex-col items-start gap-2 px-4 pt-3">
      {restoration !== null && <BulkRunStatus run={restoration} />}
      {isReading ? (
        <div className="flex w-full max-w-120 flex-wrap items-center gap-x-4 gap-y-2">
          <CountedProgress doing="Reading devices" done={readCount} total={count} kind="device" />
          <Button onClick={stop}>Cancel</Button>
        </div>
      ) : isRestored ? (
        <p className="text-muted">These devices were restored.</p>
      ) : (
        !isRestoring && (
          <Button busy={readCount !== null} disabled={bulkRun !== null && isRunning(bulkRun)} onClick={start}>
            Restore {plural(count, 'device')}
          </Button>
        )
      )}
    </div>
  );
};
