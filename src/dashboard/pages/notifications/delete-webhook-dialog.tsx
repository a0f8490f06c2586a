import { describeError } from '../../api/api-error.ts';
import { useDeleteWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { plural } from '../../ui/format/format-number.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { eventsText } from './event-words.ts';
import type { WebhookActProps } from './webhook-act.ts';

/** Deletes a webhook after naming what goes with it. It cannot be undone: its secret is gone. */
export const DeleteWebhookDialog = ({ webhook, isOpen, onClose, onClosed, onDeleted }: WebhookActProps) => {
  const remove = useDeleteWebhook();
  const { pending } = webhook.calls;
  const confirm = () =>
    remove.mutate(webhook.id, {
      onSuccess: () => {
        onClose();
        onDeleted();
        showToast({ title: `Deleted ${webhook.name}` });
      },
    });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={`Delete ${webhook.name}?`}
      confirmLabel="Delete"
      onConfirm={confirm}
      isBusy={remove.isPending}
      error={remove.isError ? describeError(remove.error).detail : undefined}
      typeName={webhook.name}
    >
      <div className="flex flex-col gap-3">
        <p>
          <span className="font-mono text-sm break-all text-ink">{new URL(webhook.url).host}</span> is no
          longer told: {eventsText(webhook.events)}.
        </p>
        <p>
          {pending > 0 &&
            `${plural(pending, 'call')} that ${pending === 1 ? 'waits' : 'wait'} to be sent will not be. `}
          Its signing secret goes with it, and cannot be had again. To stop it for a while, pause it.
        </p>
      </div>
    </ConfirmDialog>
  );
};
