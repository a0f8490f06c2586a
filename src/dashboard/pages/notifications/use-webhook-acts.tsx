import { lazy, Suspense, useState } from 'react';
import type { Webhook } from '#contract/webhooks.ts';
import { describeError } from '../../api/api-error.ts';
import { useChangeWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import type { AskedAct } from './webhook-act.ts';

const WebhookActDialog = lazy(async () => ({
  default: (await import('./webhook-act-dialogs.tsx')).WebhookActDialog,
}));

/** Pauses and resumes at once; asks about the rest in a dialog, which is dropped with what it held once it is gone. */
export const useWebhookActs = (onDeleted: () => void) => {
  const [shown, setShown] = useState<{ act: AskedAct; webhook: Webhook; isOpen: boolean } | null>(null);
  const change = useChangeWebhook();

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
            title: `${webhook.name} was not ${enabled ? 'resumed' : 'paused'}`,
            detail: describeError(error).detail,
            tone: 'bad',
          }),
      },
    );

  return {
    ask: (act: AskedAct, webhook: Webhook) => setShown({ act, webhook, isOpen: true }),
    pauseOrResume: (webhook: Webhook) => setEnabled(webhook, !webhook.enabled, true),
    dialog: shown !== null && (
      <Suspense>
        <WebhookActDialog
          {...shown}
          onDeleted={onDeleted}
          onClose={() => setShown((current) => current && { ...current, isOpen: false })}
          onClosed={() => setShown(null)}
        />
      </Suspense>
    ),
  };
};
