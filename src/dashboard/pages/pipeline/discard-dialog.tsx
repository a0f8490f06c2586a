import { describeError } from '../../api/api-error.ts';
import { useDiscardRejections } from '../../resources/pipelines/rejection-queries.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';

type Props = {
  pipelineId: string;
  /** How many rejected values the texts stand for. */
  values: number;
  isOpen: boolean;
  onClose: () => void;
  onClosed: () => void;
};

export const DiscardDialog = ({ pipelineId, values, onClose, ...dialog }: Props) => {
  const discard = useDiscardRejections();
  return (
    <ConfirmDialog
      {...dialog}
      onClose={onClose}
      title="Discard the texts of rejections?"
      confirmLabel="Discard texts"
      isBusy={discard.isPending}
      onConfirm={() =>
        discard.mutate(pipelineId, {
          onSuccess: ({ discarded }) => {
            onClose();
            showToast({ title: `Discarded ${plural(discarded, 'message')}` });
          },
        })
      }
      {...(discard.error !== null && { error: describeError(discard.error).detail })}
    >
      The messages behind {plural(values, 'rejected value')} go, with their reasons. The values stay counted
      in the ledger. This cannot be undone.
    </ConfirmDialog>
  );
};
