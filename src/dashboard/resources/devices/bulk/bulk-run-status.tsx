import { describeError } from '../../../api/api-error.ts';
import { useDialog } from '../../../kit/confirm/use-dialog.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { CountedProgress } from '../../../ui/feedback/counted-progress.tsx';
import { FormNotice } from '../../../ui/feedback/form-notice.tsx';
import { formatCount, plural } from '../../../ui/format/format-number.ts';
import { BulkReportDialog } from './bulk-report-dialog.tsx';
import { bulkRun, describeDone, describeUnchanged, isRunning, type BulkRun } from './bulk-run.ts';

/** The progress of a change of many devices, or its outcome where something is left to do. */
export const BulkRunStatus = ({ run }: { run: BulkRun }) => {
  const report = useDialog<BulkRun>();
  return (
    <>
      {isRunning(run) ? <Progress run={run} /> : <Outcome run={run} onReport={() => report.open(run)} />}
      {report.subject !== null && <BulkReportDialog run={report.subject} state={report.state} />}
    </>
  );
};

const Progress = ({ run }: { run: BulkRun }) => {
  const { job, total, changedIds, unchanged, failures, status } = run;
  const isCancelling = status.is === 'cancelling';
  return (
    <section
      aria-label="Bulk change"
      className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-hairline bg-raised px-3 py-2 shadow-pop"
    >
      <CountedProgress
        doing={job.doing}
        done={changedIds.length + unchanged + failures.length}
        total={total}
        kind="device"
        failed={failures.length}
      />
      <Button busy={isCancelling} onClick={bulkRun.cancel}>
        {isCancelling ? 'Cancelling…' : 'Cancel'}
      </Button>
    </section>
  );
};

const sentences = (run: BulkRun): string => {
  const { job, changedIds, failures, status, total } = run;
  const failed = failures.length === 0 ? '' : `${formatCount(failures.length)} failed.`;
  const rest = [describeUnchanged(run), failed]
    .filter((sentence) => sentence !== '')
    .map((sentence) => ` ${sentence}`)
    .join('');
  if (status.is !== 'stopped') return `${describeDone(run)}.${rest}`;
  const soFar = `${job.done} ${formatCount(changedIds.length)} of ${plural(total, 'device')}.${rest}`;
  if (status.error === undefined) return `Cancelled. ${soFar}`;
  const { title, detail } = describeError(status.error);
  return `${title}. ${soFar} ${detail}`;
};

const Outcome = ({ run, onReport }: { run: BulkRun; onReport: () => void }) => {
  const { job, changedIds, failures, status } = run;
  const hasError = status.is === 'stopped' && status.error !== undefined;
  return (
    <section aria-label="Bulk change" className="rounded-md bg-raised shadow-pop">
      <FormNotice
        tone={hasError ? 'bad' : 'attention'}
        action={
          <>
            {status.is === 'stopped' && <Button onClick={bulkRun.resume}>Continue</Button>}
            {failures.length > 0 && <Button onClick={onReport}>Show failures</Button>}
            {job.change.operation === 'delete' && changedIds.length > 0 && (
              <Button onClick={bulkRun.undoDeletion}>Undo</Button>
            )}
            <Button variant="quiet" onClick={bulkRun.dismiss}>
              Dismiss
            </Button>
          </>
        }
      >
        {sentences(run)}
      </FormNotice>
    </section>
  );
};
