import { describeError } from '../../api/api-error.ts';
import { useRotateWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { RotateSecretDialog } from '../../kit/secret/rotate-secret-dialog.tsx';
import { useWebhookSecret } from './use-webhook-secret.tsx';
import type { WebhookActProps } from './webhook-act.ts';

const overlaps = [
  { value: '0', label: 'Not at all', detail: 'For a secret that has leaked.' },
  { value: '3600', label: '1 hour', detail: 'For a receiver that you change now.' },
  { value: '86400', label: '1 day', detail: 'For a receiver that you change today.' },
  { value: '604800', label: '7 days', detail: 'For a receiver that somebody else changes.' },
];

/** Gives a webhook a new secret. */
export const RotateWebhookDialog = ({ webhook, isOpen, onClose, onClosed }: WebhookActProps) => {
  const rotate = useRotateWebhook();
  const secret = useWebhookSecret(onClose);
  return (
    <RotateSecretDialog
      isOpen={isOpen}
      onClose={onClose}
      onClosed={onClosed}
      title={`New secret for ${webhook.name}`}
      madeTitle={`New secret of ${webhook.name}`}
      overlapLabel="How long calls are signed with the old secret as well"
      overlaps={overlaps}
      consequence={({ isAtOnce, atMs, text }) =>
        isAtOnce
          ? 'A receiver that knows only the old secret refuses the calls from now on; they are tried again.'
          : `Each call carries both signatures until ${text(atMs)}.`
      }
      action="Make a new secret"
      isBusy={rotate.isPending}
      failure={rotate.isError ? describeError(rotate.error).detail : null}
      secret={{ ...secret, isMade: secret.made !== null }}
      onRotate={(overlapSeconds) =>
        rotate.mutate({ id: webhook.id, overlapSeconds }, { onSuccess: secret.hold })
      }
    />
  );
};
