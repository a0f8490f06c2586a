import { Suspense } from 'react';
import type { Webhook } from '#contract/webhooks.ts';
import { pauseOrResume } from '../../kit/pause-or-resume.ts';
import { deletionOf, useConfirm } from '../../kit/confirm/use-confirm.tsx';
import { useDialog } from '../../kit/confirm/use-dialog.ts';
import { useChangeWebhook, useDeleteWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { plural } from '../../ui/format/format-number.ts';
import { eventsText } from './webhook-event-words.ts';
import { lazyDialog } from '../../ui/overlays/lazy-popup.tsx';

const RotateWebhookDialog = lazyDialog(
  async () => (await import('./webhook-secret.tsx')).RotateWebhookDialog,
);

/** The actions on a webhook. */
export type WebhookAction = 'test' | 'edit' | 'pause' | 'rotate' | 'delete';

/** Pauses and resumes at once; rotates the secret and deletes in a dialog. */
export const useWebhookActions = (onDeleted: () => void) => {
  const { mutateAsync } = useChangeWebhook();
  const { mutateAsync: remove } = useDeleteWebhook();
  const rotation = useDialog<Webhook>();
  const deletion = useConfirm();

  return {
    rotate: rotation.open,
    pauseOrResume: (webhook: Webhook) =>
      void pauseOrResume(webhook, !webhook.enabled, {
        // Whatever else was changed since it was read, the webhook is paused or resumed.
        setEnabled: ({ id }, enabled) => mutateAsync({ id, change: { enabled }, ifMatch: null }),
      }),
    /** Deletes after a confirmation. It cannot be undone: the secret is deleted as well. */
    askToDelete: (webhook: Webhook) =>
      deletion.confirm(
        deletionOf({
          name: webhook.name,
          body: <Deletion webhook={webhook} />,
          run: () => remove(webhook.id),
          onDeleted,
        }),
      ),
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

const Deletion = ({ webhook }: { webhook: Webhook }) => (
  <div className="flex flex-col gap-3">
    <p>
      Penstock stops sending events to{' '}
      <span className="font-mono text-sm break-all text-ink">{new URL(webhook.url).host}</span>:{' '}
      {eventsText(webhook)}.
    </p>
    <p>
      {webhook.calls.pending > 0 && `${plural(webhook.calls.pending, 'pending event')} will not be sent. `}
      This also deletes the signing secret, and cannot be undone. To stop for a while, pause the webhook
      instead.
    </p>
  </div>
);
