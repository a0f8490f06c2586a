import type { SignedWebhook } from '#contract/webhooks.ts';
import { SecretView, VerifySignature } from '../../kit/secret/secret-view.tsx';
import { useSecretOnce, type SecretViewProps } from '../../kit/secret/use-secret-once.tsx';
import { useRotateWebhook } from '../../resources/webhooks/webhook-queries.ts';

/** The secret that a webhook's calls are signed with, to be copied before one leaves. */
export const useWebhookSecret = (onClose: () => void) => {
  const { mutateAsync } = useRotateWebhook();
  return useSecretOnce<SignedWebhook>({
    onClose,
    need: 'Receivers need it to verify requests.',
    View: WebhookSecret,
    remake: (id) => mutateAsync({ id, overlapSeconds: 0 }),
  });
};

const VERIFY = `import { Webhook } from 'standardwebhooks';

// Throws unless Penstock sent the request.
new Webhook(secret).verify(rawBody, headers);`;

const WebhookSecret = ({ made, secret, onCopied }: SecretViewProps<SignedWebhook>) => (
  <SecretView title={`Signing secret for ${made.name}`} secret={secret} onCopied={onCopied}>
    <VerifySignature title="Verify requests" code={VERIFY}>
      <p className="text-muted">
        By hand: the part after <Code>v1,</Code> in <Code>webhook-signature</Code> is the base64 HMAC-SHA256
        of <Code>webhook-id.webhook-timestamp.body</Code>. The key is the base64 part after{' '}
        <Code>whsec_</Code>.
      </p>
      <p className="text-muted">
        Respond with 2xx. Penstock retries other responses for 3 days. An event can arrive twice with the same{' '}
        <Code>webhook-id</Code>.
      </p>
    </VerifySignature>
  </SecretView>
);

const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-sm break-words text-ink">{children}</code>
);
