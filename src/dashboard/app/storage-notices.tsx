import { lazy, useState } from 'react';
import type { FileProblem, Storage } from '#contract/storage.ts';
import { useMayAsk } from '../api/session-queries.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/controls/button.tsx';
import { FormNotice } from '../ui/feedback/form-notice.tsx';
import { formatBytes } from '../ui/format/format-number.ts';
import { LinkButton } from '../ui/controls/link.tsx';
import { Optional } from '../ui/browser/optional.tsx';

const DeleteTelemetryDialog = lazy(async () => ({
  default: (await import('./delete-telemetry-dialog.tsx')).DeleteTelemetryDialog,
}));

const AcceptLossDialog = lazy(async () => ({
  default: (await import('./accept-loss-dialog.tsx')).AcceptLossDialog,
}));

/** What is refused while the disk or a file has a problem, and what to do. */
export const StorageNotices = ({ storage }: { storage: Storage }) => (
  <div className="mb-4 flex flex-col gap-2">
    {storage.state === 'full' && <DiskFull storage={storage} />}
    {storage.state === 'read-only' && <DiskReadOnly />}
    {storage.files.map((problem) => (
      <FileNotice key={problem.file} problem={problem} />
    ))}
  </div>
);

/** The state of a dialog whose code loads when it first opens. */
const useLazyDialog = () => {
  const [isOpen, setIsOpen] = useState(false);
  const [isLoaded, setIsLoaded] = useState(false);
  const open = () => {
    setIsLoaded(true);
    setIsOpen(true);
  };
  return { isOpen, isLoaded, open, close: () => setIsOpen(false) };
};

const DiskFull = ({ storage: { freeBytes } }: { storage: Storage }) => {
  const mayDelete = useMayAsk('devices:write');
  const maySeePipelines = useMayAsk('pipelines:read');
  const { isOpen, isLoaded, open, close } = useLazyDialog();
  return (
    <>
      <FormNotice
        tone="bad"
        action={
          <>
            {mayDelete && <Button onClick={open}>Delete telemetry…</Button>}
            {maySeePipelines && <LinkButton to={paths.pipelines}>Delete rejections</LinkButton>}
          </>
        }
      >
        <strong>
          The disk of the service is full{freeBytes !== null && ` (${formatBytes(freeBytes)} free)`}.
        </strong>{' '}
        New data and changes are refused. Signing in, revoking keys and deleting still work. Free some space:
        delete telemetry or rejections here, set <code>RETENTION_DAYS</code>, or make room on the disk.
      </FormNotice>
      <Optional>{isLoaded && <DeleteTelemetryDialog isOpen={isOpen} onClose={close} />}</Optional>
    </>
  );
};

const FileNotice = ({ problem }: { problem: FileProblem }) => {
  const mayAccept = useMayAsk('devices:write');
  const { isOpen, isLoaded, open, close } = useLazyDialog();
  return (
    <>
      <FormNotice tone="bad" action={mayAccept && <Button onClick={open}>Accept the loss…</Button>}>
        {problem.detail}
      </FormNotice>
      <Optional>
        {isLoaded && <AcceptLossDialog problem={problem} isOpen={isOpen} onClose={close} />}
      </Optional>
    </>
  );
};

const DiskReadOnly = () => (
  <FormNotice tone="bad">
    <strong>The disk of the service is read-only.</strong> You can read everything. New data and changes are
    refused, and sign-ins are kept in memory until the disk is writable again.
  </FormNotice>
);
