import type { FileProblem } from '#contract/storage.ts';
import { describeError } from '../api/api-error.ts';
import { useAcceptLoss } from '../resources/telemetry/storage-queries.ts';
import { ConfirmDialog } from '../ui/overlays/confirm-dialog.tsx';
import { showToast } from '../ui/feedback/toast.ts';

const consequences: Record<FileProblem['problem'], string> = {
  missing:
    'Penstock continues with an empty file. If you find the old file later, its samples cannot be added.',
  damaged: 'Penstock keeps the damaged file under another name and continues with an empty one.',
  incomplete: 'Penstock continues with the samples that are there and stops reporting the missing ones.',
};

export const AcceptLossDialog = ({
  problem: { file, problem },
  isOpen,
  onClose,
}: {
  problem: FileProblem;
  isOpen: boolean;
  onClose: () => void;
}) => {
  const accept = useAcceptLoss();
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Continue without the lost samples?"
      confirmLabel="Accept the loss"
      typeName={file}
      isBusy={accept.isPending}
      onConfirm={() =>
        accept.mutate(undefined, {
          onSuccess: () => {
            onClose();
            showToast({ title: 'Loss accepted' });
          },
        })
      }
      {...(accept.error !== null && { error: describeError(accept.error).detail })}
    >
      {consequences[problem]}
    </ConfirmDialog>
  );
};
