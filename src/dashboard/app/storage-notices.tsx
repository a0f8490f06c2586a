import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { storageApi, type FileProblem, type Storage } from '#contract/storage.ts';
import { useConfirm } from '../kit/confirm/use-confirm.tsx';
import { useDialog } from '../kit/confirm/use-dialog.ts';
import { call } from '../api/client.ts';
import { DeleteTelemetryDialog } from '../resources/service/delete-telemetry-dialog.tsx';
import { serviceQueries } from '../resources/service/service-queries.ts';
import { showToast } from '../ui/feedback/toast.ts';
import { useHasKnownScope } from '../api/session-queries.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/controls/button.tsx';
import { FormNotice } from '../ui/feedback/form-notice.tsx';
import { formatBytes } from '../ui/format/format-number.ts';
import { LinkButton } from '../ui/controls/link.tsx';

const consequences: Record<FileProblem['problem'], string> = {
  missing: 'Penstock continues with an empty file. You cannot add the samples of the old file later.',
  damaged: 'Penstock keeps the damaged file under another name and continues with an empty one.',
  unreadable: 'Penstock keeps the old file under another name and continues with an empty one.',
  incomplete: 'Penstock continues with the remaining samples and stops reporting the missing ones.',
  unconverted: 'Penstock keeps the old file under another name and continues with an empty one.',
};

type Props = {
  storage: Storage;
  /** Called when the dialog that deletes telemetry opens and closes. */
  onDeleting: (isDeleting: boolean) => void;
};

/** What the service rejects while the disk or a file has a problem, and what to do. */
export const StorageNotices = ({ storage, onDeleting }: Props) => {
  const deletion = useDialog<true>();
  const isDeleting = deletion.subject !== null;
  useEffect(() => onDeleting(isDeleting), [onDeleting, isDeleting]);
  return (
    <>
      <div className="mb-4 flex flex-col gap-2 empty:hidden">
        {storage.state === 'full' &&
          (storage.canDelete ? (
            <DiskFull storage={storage} onDelete={() => deletion.open(true)} />
          ) : (
            <DiskTooFullToDelete storage={storage} />
          ))}
        {storage.state === 'read-only' && <DiskReadOnly />}
        {storage.files.map((problem) => (
          <FileNotice key={problem.file} problem={problem} />
        ))}
      </div>
      {isDeleting && <DeleteTelemetryDialog state={deletion.state} />}
    </>
  );
};

const DiskFull = ({ storage: { freeBytes }, onDelete }: { storage: Storage; onDelete: () => void }) => {
  const canDelete = useHasKnownScope('devices:write');
  const canSeePipelines = useHasKnownScope('pipelines:read');
  return (
    <FormNotice
      tone="bad"
      action={
        <>
          {canDelete && <Button onClick={onDelete}>Delete telemetry…</Button>}
          {canSeePipelines && <LinkButton to={paths.pipelines}>Delete rejections</LinkButton>}
        </>
      }
    >
      <strong>The service’s disk is full{freeBytes !== null && ` (${formatBytes(freeBytes)} free)`}.</strong>{' '}
      Penstock rejects new data and changes. You can still sign in, revoke keys and delete data. To free
      space, delete telemetry or rejections here, set <code>RETENTION_DAYS</code>, or remove other files from
      the disk.
    </FormNotice>
  );
};

/** Accepts that samples of telemetry.db are lost. */
const useAcceptLoss = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call(storageApi.acceptLoss, { body: { file: 'telemetry.db' } }),
    onSuccess: (storage) => {
      client.setQueryData(serviceQueries.storage().queryKey, storage);
      void client.invalidateQueries();
    },
  });
};

const FileNotice = ({ problem: { file, problem, detail } }: { problem: FileProblem }) => {
  const canAccept = useHasKnownScope('devices:write');
  const { mutateAsync: accept } = useAcceptLoss();
  const { confirm, dialog } = useConfirm();
  const askToAccept = () =>
    confirm({
      title: 'Continue without the lost samples?',
      confirmLabel: 'Continue without samples',
      typeName: file,
      body: consequences[problem],
      run: () => accept(),
      onDone: () => showToast({ title: 'Continued without the lost samples' }),
    });
  return (
    <>
      <FormNotice
        tone="bad"
        action={canAccept && <Button onClick={askToAccept}>Continue without samples…</Button>}
      >
        {detail}
      </FormNotice>
      {dialog}
    </>
  );
};

const DiskTooFullToDelete = ({ storage: { freeBytes } }: { storage: Storage }) => (
  <FormNotice tone="bad">
    <strong>The service’s disk is full{freeBytes !== null && ` (${formatBytes(freeBytes)} free)`}.</strong>{' '}
    You can read everything. Penstock rejects new data, changes and deletions, and keeps sign-ins in memory.
    To free space, remove other files from the disk or enlarge it. Penstock restarts once 4 MiB are free.
  </FormNotice>
);

const DiskReadOnly = () => (
  <FormNotice tone="bad">
    <strong>The service’s disk is read-only.</strong> You can read everything. Penstock rejects new data and
    changes, and keeps sign-ins in memory until the disk is writable again.
  </FormNotice>
);
