import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import type { DialogState } from '../../ui/overlays/dialog.tsx';

/** A question before an action that cannot be undone. */
export type Confirmation<T = unknown> = {
  title: string;
  /** What will happen. */
  body: ReactNode;
  confirmLabel: string;
  cancelLabel?: string;
  /** The name that must be typed to confirm. */
  typeName?: string;
  run: () => Promise<T>;
  /** After `run`, as the dialog closes. */
  onDone?: (result: T) => void;
  /** `run` failed. True: the caller shows why, and the dialog closes. */
  onError?: (error: unknown) => boolean;
};

type Props = { confirmation: Confirmation; state: DialogState };

/** Runs what was confirmed, shows why it failed, and closes on success. */
export const ConfirmAndRunDialog = ({ confirmation, state }: Props) => {
  const { title, body, confirmLabel, cancelLabel, typeName, run, onDone, onError } = confirmation;
  const { mutate, isPending, error } = useMutation({
    mutationFn: run,
    gcTime: 0,
    // Here rather than at the call: the action may remove the asking component, and this dialog with it.
    onSuccess: (result) => {
      state.onClose();
      onDone?.(result);
    },
    onError: (failure) => {
      if (onError?.(failure) === true) state.onClose();
    },
  });
  return (
    <ConfirmDialog
      state={state}
      title={title}
      confirmLabel={confirmLabel}
      cancelLabel={cancelLabel}
      action={{
        run: mutate,
        isBusy: isPending,
        error: error === null ? undefined : describeFailedChange(error),
      }}
      {...(typeName !== undefined && { typeName })}
    >
      {body}
    </ConfirmDialog>
  );
};
