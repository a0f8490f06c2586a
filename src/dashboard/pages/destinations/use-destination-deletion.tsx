import { lazy, Suspense } from 'react';
import type { Destination } from '#contract/destinations.ts';
import { hasCode } from '../../api/api-error.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { useDeleteDestination } from '../../resources/destinations/destination-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';

const StillUsedDialog = lazy(async () => ({
  default: (await import('./still-used-dialog.tsx')).StillUsedDialog,
}));

/** Deletes a destination after saying what goes and what stays; while pipelines send to it, says which. */
export const useDestinationDeletion = (onDeleted: () => void) => {
  const { mutateAsync: remove } = useDeleteDestination();
  const { confirm, isAsking, dialog } = useConfirm();
  const used = useDialog<string>();
  const ask = ({ id, name, usedBy }: Destination) => {
    if (usedBy > 0) {
      used.open(name);
      return;
    }
    confirm({
      title: `Delete ${name}?`,
      confirmLabel: 'Delete',
      typeName: name,
      body: (
        <p>
          Its address and its secrets go, and cannot be had again. The values that it holds stay where they
          are. No pipeline sends to it.
        </p>
      ),
      act: () => remove(id),
      onDone: () => {
        onDeleted();
        showToast({ title: `Deleted ${name}` });
      },
      // A pipeline may have been given it since the list was read: the service refuses.
      onRefused: (error) => {
        const isUsed = hasCode(error, 'conflict');
        if (isUsed) used.open(name);
        return isUsed;
      },
    });
  };
  return {
    ask,
    isAsking: isAsking || used.state.isOpen,
    dialogs: (
      <>
        {dialog}
        {used.subject !== null && (
          <Suspense>
            <StillUsedDialog name={used.subject} state={used.state} />
          </Suspense>
        )}
      </>
    ),
  };
};
