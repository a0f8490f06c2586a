import type { SignedWebhook, Webhook } from '#contract/webhooks.ts';
import { SigningSecretView } from '../../kit/secret/secret-view.tsx';
import { useSecretOnce, type SecretViewProps } from '../../kit/secret/use-secret-once.tsx';
import { useRotateWebhook } from '../../resources/webhooks/webhook-queries.ts';
import type { DialogState } from '../../ui/overlays/dialog.tsx';
import { RotateSecretDialog } from '../../kit/secret/rotate-secret-dialog.tsx';

/** Shows the signing secret of a webhook once. */
export const useWebhookSecret = (onClose: () => void) => {
  const { mutateAsync } = useRotateWebhook();
  return useSecretOnce<SignedWebhook>({
    onClose,
    need: 'Receivers need it to verify requests.',
    View: WebhookSecret,
    rotate: (id) => mutateAsync({ id, overlapSeconds: 0 }),
  });
};

const VERIFY = `import { Webhook } from 'standardwebhooks';

// Throws unless Penstock sent the request.
new Webhook(secret).verify(rawBody, headers);`;

const WebhookSecret = ({ item, secret, onCopied }: SecretViewProps<SignedWebhook>) => (
  <SigningSecretView name={item.name} secret={secret} onCopied={onCopied} code={VERIFY}>
    <p className="text-muted">
      Without a library: the part after <Code>v1,</Code> in <Code>webhook-signature</Code> is the base64
      HMAC-SHA256 of <Code>webhook-id.webhook-timestamp.body</Code>. The key is the base64 part after{' '}
      <Code>whsec_</Code>.
    </p>
    <p className="text-muted">
      Respond with 2xx. Penstock retries other responses for 3 days. An event can arrive twice with the same{' '}
      <Code>webhook-id</Code>.
    </p>
  </SigningSecretView>
);

const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-sm break-words text-ink">{children}</code>
);

const overlaps = [
  { value: '0', label: 'None', detail: 'Use this if the secret leaked.' },
  { value: '3600', label: '1 hour', detail: 'You update the receiver now.' },
  { value: '86400', label: '1 day', detail: 'You update the receiver today.' },
  { value: '604800', label: '7 days', detail: 'Someone else updates the receiver.' },
];

/** Rotates the secret of a webhook. */
export const RotateWebhookDialog = ({ webhook, state }: { webhook: Webhook; state: DialogState }) => {
  const { mutateAsync } = useRotateWebhook();
  return (
    <RotateSecretDialog
      state={state}
      secret={useWebhookSecret(state.onClose)}
      rotate={(overlapSeconds) => mutateAsync({ id: webhook.id, overlapSeconds })}
      words={{
        title: `Rotate secret of ${webhook.name}`,
        createdTitle: `New secret for ${webhook.name}`,
        overlapLabel: 'Overlap with the old secret',
        overlaps,
        action: 'Rotate',
        consequence: ({ isAtOnce, atMs, text }) =>
          isAtOnce
            ? 'Receivers that know only the old secret reject deliveries. Penstock retries them.'
            : `Each delivery carries both signatures until ${text(atMs)}.`,
      }}
    />
  );
};
