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
  const isInTime = useClock((nowMs) => nowMs - deletedMs < RESTORE_MS);
  const bulkRun = useBulkRun();
  const restoration = bulkRun?.job.change.operation === 'restore' ? bulkRun : null;
  const isRunningNow = restoration !== null && isRunning(restoration);
  const [step, setStep] = useState<'idle' | 'reading' | 'restoring' | 'restored'>('idle');
  // A run that succeeds is removed. One that fails or is cancelled stays until it is dismissed.
  if (step === 'restoring' && !isRunningNow) setStep(bulkRun === null ? 'restored' : 'idle');
  const region = useRef<HTMLDivElement>(null);
  useKeptFocus(region, `${step} ${isRunningNow}`);
  if (!canWrite || !isInTime) return null;

  const restore = async () => {
    setStep('reading');
    try {
      setStep(restoreDevices(await readRunSubjects(run)) ? 'restoring' : 'idle');
    } catch (error) {
      setStep('idle');
      const { detail } = describeError(error);
      showToast({ title: 'Could not restore the devices', detail, tone: 'bad' });
    }
  };

  return (
    <div ref={region} className="flex flex-col items-start gap-2 px-4 pt-3">
      {restoration !== null && <BulkRunStatus run={restoration} />}
      {step === 'restored' ? (
        <p className="text-muted">Restored.</p>
      ) : (
        !isRunningNow && (
          <Button busy={step === 'reading'} onClick={() => void restore()}>
            Restore {plural(run.run.count, 'device')}
          </Button>
        )
      )}
    </div>
  );
};
