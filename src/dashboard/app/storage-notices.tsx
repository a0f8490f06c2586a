import { lazy } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { storageApi, type FileProblem, type Storage } from '#contract/storage.ts';
import { useConfirm } from '../kit/confirm/use-confirm.tsx';
import { useDialog } from '../kit/confirm/use-dialog.ts';
import { call } from '../api/client.ts';
import { storageQueries } from '../resources/telemetry/storage-queries.ts';
import { showToast } from '../ui/feedback/toast.ts';
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

const consequences: Record<FileProblem['problem'], string> = {
  missing: 'Penstock continues with an empty file. You cannot add the samples of the old file later.',
  damaged: 'Penstock keeps the damaged file under another name and continues with an empty one.',
  incomplete: 'Penstock continues with the remaining samples and stops reporting the missing ones.',
};

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

const DiskFull = ({ storage: { freeBytes } }: { storage: Storage }) => {
  const mayDelete = useMayAsk('devices:write');
  const maySeePipelines = useMayAsk('pipelines:read');
  const deletion = useDialog<true>();
  return (
    <>
      <FormNotice
        tone="bad"
        action={
          <>
            {mayDelete && <Button onClick={() => deletion.open(true)}>Delete telemetry…</Button>}
            {maySeePipelines && <LinkButton to={paths.pipelines}>Delete rejections</LinkButton>}
          </>
        }
      >
        <strong>
          The service’s disk is full{freeBytes !== null && ` (${formatBytes(freeBytes)} free)`}.
        </strong>{' '}
        Penstock rejects new data and changes. You can still sign in, revoke keys and delete. To free space,
        delete telemetry or rejections here, set <code>RETENTION_DAYS</code>, or remove other files from the
        disk.
      </FormNotice>
      <Optional>{deletion.subject && <DeleteTelemetryDialog state={deletion.state} />}</Optional>
    </>
  );
};

/** Accepts that samples of telemetry.db are lost. */
const useAcceptLoss = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(storageApi.acceptLoss, { body: { file: 'telemetry.db' } }),
    onSuccess: (storage) => {
      client.setQueryData(storageQueries.get().queryKey, storage);
      void client.invalidateQueries();
    },
  });
};

const FileNotice = ({ problem: { file, problem, detail } }: { problem: FileProblem }) => {
  const mayAccept = useMayAsk('devices:write');
  const { mutateAsync: accept } = useAcceptLoss();
  const { confirm, dialog } = useConfirm();
  const askToAccept = () =>
    confirm({
      title: 'Continue without the lost samples?',
      confirmLabel: 'Accept the loss',
      typeName: file,
      body: consequences[problem],
      act: () => accept(),
      onDone: () => showToast({ title: 'Loss accepted' }),
    });
  return (
    <>
      <FormNotice tone="bad" action={mayAccept && <Button onClick={askToAccept}>Accept the loss…</Button>}>
        {detail}
      </FormNotice>
      <Optional>{dialog}</Optional>
    </>
  );
};

const DiskReadOnly = () => (
  <FormNotice tone="bad">
    <strong>The service’s disk is read-only.</strong> You can read everything. Penstock rejects new data and
    changes, and keeps sign-ins in memory until the disk is writable again.
  </FormNotice>
);
