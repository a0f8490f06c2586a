import { lazy, Suspense } from 'react';
import type { Confirmation } from './confirmation-dialog.tsx';
import { useDialog } from './use-dialog.ts';

const ConfirmationDialog = lazy(async () => ({
  default: (await import('./confirmation-dialog.tsx')).ConfirmationDialog,
}));

/** Asks before an act, in a dialog that the answer of this hook holds. */
export const useConfirm = () => {
  const { subject, open, state } = useDialog<Confirmation>();
  return {
    isAsking: state.isOpen,
    confirm: <T,>(confirmation: Confirmation<T>) => open(confirmation as Confirmation),
    dialog: subject !== null && (
      <Suspense>
        <ConfirmationDialog confirmation={subject} state={state} />
      </Suspense>
    ),
  };
};
