import { useRef, useState } from 'react';
import { RESTORE_MS } from '#contract/device-restoration.ts';
import { describeError } from '../../api/api-error.ts';
import { useHasScope } from '../../api/session-queries.ts';
import { BulkRunStatus } from '../../resources/devices/bulk/bulk-run-status.tsx';
import { isRunning, restoreDevices, useBulkRun } from '../../resources/devices/bulk/bulk-run.ts';
import { readRunSubjects } from '../../resources/events/event-queries.ts';
import type { Run } from '../../resources/events/event-run.ts';
import { useClock } from '../../ui/browser/clock.ts';
import { useKeptFocus } from '../../ui/browser/kept-focus.ts';
import { Button } from '../../ui/controls/button.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';

/** Restores the devices of a run of deletions, while they can be restored. */
export const RestoreRun = ({ run }: { run: Run }) => {
  const canWrite = useHasScope('devices:write');
  const deletedMs = Date.parse(run.run.lastAt);
  const canRestore = useClock((nowMs) => nowMs - deletedMs < RESTORE_MS);
  const bulkRun = useBulkRun();
  const restoration = bulkRun?.job.change.operation === 'restore' ? bulkRun : null;
  const isRestoring = restoration !== null && isRunning(restoration);
  const region = useRef<HTMLDivElement>(null);
  useKeptFocus(region, String(isRestoring));
  const [isReading, setIsReading] = useState(false);
  if (!canWrite || !canRestore) return null;

  const restore = async () => {
    setIsReading(true);
    try {
      restoreDevices(await readRunSubjects(run));
    } catch (error) {
      const { detail } = describeError(error);
      showToast({ title: 'Could not restore the devices', detail, tone: 'bad' });
    } finally {
      setIsReading(false);
    }
  };

  return (
    <div ref={region} className="flex flex-col items-start gap-2 px-4 pb-3">
      {restoration !== null && <BulkRunStatus run={restoration} />}
      {!isRestoring && (
        <Button busy={isReading} onClick={() => void restore()}>
          Restore {plural(run.run.count, 'device')}
        </Button>
      )}
    </div>
  );
};
