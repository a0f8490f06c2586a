import { describeFailedChange } from '../../api/describe-failed-change.ts';
import { useState } from 'react';
import type { Pipeline } from '#contract/pipelines.ts';
import type { DialogState } from '../../ui/overlays/dialog.tsx';
import { hasCode } from '../../api/api-error.ts';
import { useDeletePipeline } from '../../resources/pipelines/pipeline-queries.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { usesEmbeddedBroker } from '../../resources/pipelines/use-pause.ts';

type Props = {
  pipeline: Pipeline;
  state: DialogState;
  onDeleted: () => void;
};

/** Confirms the deletion of a pipeline. Pending samples are discarded only if the dialog says so. */
export const DeletePipelineDialog = ({ pipeline, state, onDeleted }: Props) => {
  const { id, name, ledger } = pipeline;
  const deletion = useDeletePipeline();
  // Samples may have become pending since the ledger was read. Then the service rejects, and the dialog asks again.
  const [wasRejected, setWasRejected] = useState(false);
  const discards = wasRejected || ledger.pending > 0;
  const pending = ledger.pending > 0 ? plural(ledger.pending, 'pending sample') : 'pending samples';

  const remove = async () => {
    try {
      await deletion.mutateAsync({ id, discard: discards });
      showToast({ title: `Deleted ${name}` });
      onDeleted();
    } catch (error) {
      setWasRejected(hasCode(error, 'conflict'));
    }
  };

  return (
    <ConfirmDialog
      state={state}
      title={`Delete ${name}?`}
      confirmLabel={discards ? `Discard ${pending} and delete` : 'Delete'}
      typeName={name}
      action={{
        run: () => void remove(),
        isBusy: deletion.isPending,
        error: deletion.error === null ? undefined : describeFailedChange(deletion.error),
      }}
    >
      <p>
        Deletes its settings, its ledger of {plural(ledger.received, 'received sample')} and its stored
        rejections.{' '}
        {usesEmbeddedBroker(pipeline)
          ? 'Messages to its topic become unrouted.'
          : 'Messages sent to the pipeline are rejected.'}{' '}
        Devices and their telemetry stay.
      </p>
      {discards && <p className="mt-2 text-bad-text">Also deletes {pending}, which will not be delivered.</p>}
      <p className="mt-2">This cannot be undone.</p>
    </ConfirmDialog>
  );
};
