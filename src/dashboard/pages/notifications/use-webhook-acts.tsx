import { lazy, Suspense } from 'react';
import type { Webhook } from '#contract/webhooks.ts';
import { describeError } from '../../api/api-error.ts';
import { useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { useChangeWebhook, useDeleteWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { plural } from '../../ui/format/format-number.ts';
import { eventsText } from './event-words.ts';

const RotateWebhookDialog = lazy(async () => ({
  default: (await import('./rotate-webhook-dialog.tsx')).RotateWebhookDialog,
}));

/** What is done with a webhook. */
export type WebhookAct = 'test' | 'edit' | 'pause' | 'rotate' | 'delete';

/** Pauses and resumes at once; rotates the secret and deletes in a dialog. */
export const useWebhookActs = (onDeleted: () => void) => {
  const change = useChangeWebhook();
  const { mutateAsync: remove } = useDeleteWebhook();
  const rotation = useDialog<Webhook>();
  const deletion = useConfirm();

  const setEnabled = (webhook: Webhook, enabled: boolean, canUndo: boolean) =>
    change.mutate(
      // Whoever changed it meanwhile did not mean this: it is paused all the same.
      { id: webhook.id, change: { enabled }, ifMatch: null },
      {
        onSuccess: () =>
          showToast({
            title: `${enabled ? 'Resumed' : 'Paused'} ${webhook.name}`,
            ...(canUndo && {
              action: { label: 'Undo', onAct: () => setEnabled(webhook, !enabled, false) },
            }),
          }),
        onError: (error) =>
          showToast({
            title: `Could not ${enabled ? 'resume' : 'pause'} ${webhook.name}`,
            detail: describeError(error).detail,
            tone: 'bad',
          }),
      },
    );

  return {
    rotate: rotation.open,
    pauseOrResume: (webhook: Webhook) => setEnabled(webhook, !webhook.enabled, true),
    /** Names what goes with it. It cannot be undone: its secret is gone. */
    askToDelete: (webhook: Webhook) =>
      deletion.confirm({
        title: `Delete ${webhook.name}?`,
        confirmLabel: 'Delete',
        typeName: webhook.name,
        body: <Deletion webhook={webhook} />,
        act: () => remove(webhook.id),
        onDone: () => {
          onDeleted();
          showToast({ title: `Deleted ${webhook.name}` });
        },
      }),
    dialogs: (
      <>
        {rotation.subject !== null && (
          <Suspense>
            <RotateWebhookDialog webhook={rotation.subject} state={rotation.state} />
          </Suspense>
        )}
        {deletion.dialog}
      </>
    ),
  };
};

const Deletion = ({ webhook: { url, events, calls } }: { webhook: Webhook }) => (
  <div className="flex flex-col gap-3">
    <p>
      Penstock stops sending events to{' '}
      <span className="font-mono text-sm break-all text-ink">{new URL(url).host}</span>: {eventsText(events)}.
    </p>
    <p>
      {calls.pending > 0 && `${plural(calls.pending, 'queued event')} will not be sent. `}
      This also deletes the signing secret, and cannot be undone. To stop for a while, pause the webhook
      instead.
    </p>
  </div>
);
