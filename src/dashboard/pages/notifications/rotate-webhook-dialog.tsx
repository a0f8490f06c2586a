import type { Webhook } from '#contract/webhooks.ts';
import type { DialogState } from '../../kit/confirm/use-dialog.ts';
import { RotateSecretDialog } from '../../kit/secret/rotate-secret-dialog.tsx';
import { useRotateWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { useWebhookSecret } from './use-webhook-secret.tsx';

const overlaps = [
  { value: '0', label: 'None', detail: 'Use this if the secret leaked.' },
  { value: '3600', label: '1 hour', detail: 'You update the receiver now.' },
  { value: '86400', label: '1 day', detail: 'You update the receiver today.' },
  { value: '604800', label: '7 days', detail: 'Somebody else updates the receiver.' },
];

/** Gives a webhook a new secret. */
export const RotateWebhookDialog = ({ webhook, state }: { webhook: Webhook; state: DialogState }) => {
  const { mutateAsync } = useRotateWebhook();
  return (
    <RotateSecretDialog
      state={state}
      secret={useWebhookSecret(state.onClose)}
      rotate={(overlapSeconds) => mutateAsync({ id: webhook.id, overlapSeconds })}
      words={{
        title: `New secret for ${webhook.name}`,
        madeTitle: `New secret for ${webhook.name}`,
        overlapLabel: 'Overlap with the old secret',
        overlaps,
        action: 'Create new secret',
        consequence: ({ isAtOnce, atMs, text }) =>
          isAtOnce
            ? 'Receivers that know only the old secret reject deliveries. Penstock retries them.'
            : `Each delivery carries both signatures until ${text(atMs)}.`,
      }}
    />
  );
};
