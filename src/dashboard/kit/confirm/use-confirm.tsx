import { Suspense } from 'react';
import type { Confirmation } from './confirm-and-run-dialog.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { useDialog } from './use-dialog.ts';
import { lazyDialog } from '../../ui/overlays/lazy-popup.tsx';

const ConfirmAndRunDialog = lazyDialog(
  async () => (await import('./confirm-and-run-dialog.tsx')).ConfirmAndRunDialog,
);

type Deletion = Pick<Confirmation, 'body' | 'run' | 'onError'> & { name: string; onDeleted: () => void };

/** The confirmation of a deletion that cannot be undone: the name must be typed. */
export const deletionOf = ({ name, onDeleted, ...rest }: Deletion): Confirmation => ({
  title: `Delete ${name}?`,
  confirmLabel: 'Delete',
  typeName: name,
  onDone: () => {
    onDeleted();
    showToast({ title: `Deleted ${name}` });
  },
  ...rest,
});

/** The confirmation before the changes in a form are lost. */
export const discardOf = (onDiscarded: () => void): Confirmation => ({
  title: 'Discard changes?',
  body: 'Your changes in this form will be lost.',
  confirmLabel: 'Discard changes',
  cancelLabel: 'Keep editing',
  run: async () => undefined,
  onDone: onDiscarded,
});

/** Asks before an action. The page renders `dialog`. */
export const useConfirm = () => {
  const { subject, open, state } = useDialog<Confirmation>();
  return {
    isAsking: state.isOpen,
    confirm: <T,>(confirmation: Confirmation<T>) => open(confirmation as Confirmation),
    dialog: subject !== null && (
      <Suspense>
        <ConfirmAndRunDialog confirmation={subject} state={state} />
      </Suspense>
    ),
  };
};
