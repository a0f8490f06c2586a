import { useRef } from 'react';
import { BulkRunStatus } from '../../resources/devices/bulk/bulk-run-status.tsx';
import {
  currentToken,
  isRunning,
  restoreDevices,
  useBulkRun,
  useHasFinished,
} from '../../resources/devices/bulk/bulk-run.ts';
import { useIdReading } from '../../resources/devices/bulk/use-id-reading.ts';
import { readRunDevices } from '../../resources/events/event-queries.ts';
import { runIdOf, type Run } from '../../resources/events/event-run.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CountedProgress } from '../../ui/feedback/counted-progress.tsx';
import { plural } from '../../ui/format/format-number.ts';

/** Restores the devices of a run of deletions. */
export const RestoreRun = ({ run }: { run: Run }) => {
  const { count, lastAt } = run.run;
  // The run may grow, and the same devices may be deleted again within the minute.
  const source = `${runIdOf(run)} ${lastAt} ${count}`;
  const bulkRun = useBulkRun();
  const restoration = bulkRun?.job.source === source ? bulkRun : null;
  const isRestored = useHasFinished(source);
  const { readCount, start, stop } = useIdReading<{ token: string | null }>({
    read: (_, signal, onPage) => readRunDevices(run, signal, onPage),
    onRead: (ids, { token }) => {
      // Another user may have signed in meanwhile.
      if (currentToken() === token) restoreDevices(ids, source);
    },
    failure: 'The devices were not restored',
  });
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
          <Button
            busy={readCount !== null}
            disabled={bulkRun !== null && isRunning(bulkRun)}
            onClick={() => start({ token: currentToken() })}
          >
            Restore {plural(count, 'device')}
          </Button>
        )
      )}
    </div>
  );
};
