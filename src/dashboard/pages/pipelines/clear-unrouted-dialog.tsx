import { describeError } from '../../api/api-error.ts';
import { useClearUnrouted } from '../../resources/pipelines/unrouted-queries.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';

type Props = { isOpen: boolean; onClose: () => void; onClosed: () => void };

export const ClearUnroutedDialog = ({ onClose, ...dialog }: Props) => {
  const clear = useClearUnrouted();
  return (
    <ConfirmDialog
      {...dialog}
      onClose={onClose}
      title="Clear unrouted messages?"
      confirmLabel="Clear"
      isBusy={clear.isPending}
      onConfirm={() =>
        clear.mutate(undefined, {
          onSuccess: ({ deleted }) => {
            onClose();
            showToast({ title: `Cleared ${plural(deleted, 'topic')}` });
          },
        })
      }
      {...(clear.error !== null && { error: describeError(clear.error).detail })}
    >
      Deletes the count and the last message of every topic, including topics that the search hides. Messages
      that arrive later are listed again. This cannot be undone.
    </ConfirmDialog>
  );
};
