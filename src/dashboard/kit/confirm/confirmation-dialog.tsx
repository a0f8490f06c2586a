import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeError } from '../../api/api-error.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import type { DialogState } from './use-dialog.ts';

/** A question before an act that cannot be undone. */
export type Confirmation<T = unknown> = {
  title: string;
  /** What will happen. */
  body: ReactNode;
  confirmLabel: string;
  /** The name to type, where a slip would do harm. */
  typeName?: string;
  act: () => Promise<T>;
  /** After the act, as the dialog closes. */
  onDone?: (result: T) => void;
  /** The service refused the act. True: somebody else shows why, and the dialog closes. */
  onRefused?: (error: unknown) => boolean;
};

type Props = { confirmation: Confirmation; state: DialogState };

/** Runs the act of a confirmation, shows why it failed, and closes once it is done. */
export const ConfirmationDialog = ({ confirmation, state }: Props) => {
  const { title, body, confirmLabel, typeName, act, onDone, onRefused } = confirmation;
  const { mutate, isPending, error } = useMutation({
    mutationFn: act,
    gcTime: 0,
    // Here rather than at the call: the act may take what asked, and this dialog, off the page.
    onSuccess: (result) => {
      state.onClose();
      onDone?.(result);
    },
    onError: (refusal) => {
      if (onRefused?.(refusal) === true) state.onClose();
    },
  });
  return (
    <ConfirmDialog
      {...state}
      title={title}
      confirmLabel={confirmLabel}
      onConfirm={() => mutate()}
      isBusy={isPending}
      error={error === null ? undefined : describeError(error).detail}
      {...(typeName !== undefined && { typeName })}
    >
      {body}
    </ConfirmDialog>
  );
};
