import type { Webhook } from '#contract/webhooks.ts';
import type { DialogState } from '../../kit/confirm/use-dialog.ts';
import { RotateSecretDialog } from '../../kit/secret/rotate-secret-dialog.tsx';
import { useRotateWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { useWebhookSecret } from './use-webhook-secret.tsx';

const overlaps = [
  { value: '0', label: 'Not at all', detail: 'For a secret that has leaked.' },
  { value: '3600', label: '1 hour', detail: 'For a receiver that you change now.' },
  { value: '86400', label: '1 day', detail: 'For a receiver that you change today.' },
  { value: '604800', label: '7 days', detail: 'For a receiver that somebody else changes.' },
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
        madeTitle: `New secret of ${webhook.name}`,
        overlapLabel: 'How long calls are signed with the old secret as well',
        overlaps,
        action: 'Make a new secret',
        consequence: ({ isAtOnce, atMs, text }) =>
          isAtOnce
            ? 'A receiver that knows only the old secret refuses the calls from now on; they are tried again.'
            : `Each call carries both signatures until ${text(atMs)}.`,
      }}
    />
  );
};
