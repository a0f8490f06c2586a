import { useQuery } from '@tanstack/react-query';
import { lazy, useState } from 'react';
import type { FileProblem, Storage } from '#contract/storage.ts';
import { useMayAsk } from '../api/session-queries.ts';
import { storageQueries } from '../api/storage-queries.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/button.tsx';
import { FormNotice } from '../ui/form-notice.tsx';
import { formatBytes } from '../ui/format-number.ts';
import { LinkButton } from '../ui/link.tsx';
import { Optional } from '../ui/optional.tsx';

const DeleteTelemetryDialog = lazy(async () => ({
  default: (await import('./delete-telemetry-dialog.tsx')).DeleteTelemetryDialog,
}));

const AcceptLossDialog = lazy(async () => ({
  default: (await import('./accept-loss-dialog.tsx')).AcceptLossDialog,
}));

/** Shown on every page while the disk or a file has a problem: what is refused, and what to do. */
export const StorageNotice = () => {
  const { data } = useQuery(storageQueries.get());
  if (data === undefined || (data.state === 'writable' && data.files.length === 0)) return null;
  return (
    <div className="mb-4 flex flex-col gap-2">
      {data.state === 'full' && <DiskFull storage={data} />}
      {data.state === 'read-only' && <DiskReadOnly />}
      {data.files.map((problem) => (
        <FileNotice key={problem.file} problem={problem} />
      ))}
    </div>
  );
};

const DiskFull = ({ storage: { freeBytes } }: { storage: Storage }) => {
  const mayDelete = useMayAsk('devices:write');
  const maySeePipelines = useMayAsk('pipelines:read');
  const [isAsking, setIsAsking] = useState(false);
  const [wasAsked, setWasAsked] = useState(false);
  return (
    <>
      <FormNotice
        tone="bad"
        action={
          <>
            {mayDelete && (
              <Button
                onClick={() => {
                  setWasAsked(true);
                  setIsAsking(true);
                }}
              >
                Delete telemetry…
              </Button>
            )}
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
      <Optional>
        {wasAsked && <DeleteTelemetryDialog isOpen={isAsking} onClose={() => setIsAsking(false)} />}
      </Optional>
    </>
  );
};

const FileNotice = ({ problem }: { problem: FileProblem }) => {
  const mayAccept = useMayAsk('devices:write');
  const [isAsking, setIsAsking] = useState(false);
  const [wasAsked, setWasAsked] = useState(false);
  return (
    <>
      <FormNotice
        tone="bad"
        action={
          mayAccept && (
            <Button
              onClick={() => {
                setWasAsked(true);
                setIsAsking(true);
              }}
            >
              Accept the loss…
            </Button>
          )
        }
      >
        {problem.detail}
      </FormNotice>
      <Optional>
        {wasAsked && (
          <AcceptLossDialog problem={problem} isOpen={isAsking} onClose={() => setIsAsking(false)} />
        )}
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
