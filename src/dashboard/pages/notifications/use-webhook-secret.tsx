import type { SignedWebhook } from '#contract/webhooks.ts';
import { SecretView } from '../../kit/secret/secret-view.tsx';
import { useSecretOnce, type SecretViewProps } from '../../kit/secret/use-secret-once.tsx';
import { VerifySignature } from '../../kit/secret/verify-signature.tsx';
import { useRotateWebhook } from '../../resources/webhooks/webhook-queries.ts';

/** The secret that a webhook's calls are signed with, to be copied before one leaves. */
export const useWebhookSecret = (onClose: () => void) => {
  const { mutateAsync } = useRotateWebhook();
  return useSecretOnce<SignedWebhook>({
    onClose,
    need: 'Without it the receiver cannot tell that a call comes from here.',
    View: WebhookSecret,
    remake: (id) => mutateAsync({ id, overlapSeconds: 0 }),
  });
};

const VERIFY = `import { Webhook } from 'standardwebhooks';

// Throws unless the call comes from here.
new Webhook(secret).verify(rawBody, headers);`;

const WebhookSecret = ({ made, secret, onCopied }: SecretViewProps<SignedWebhook>) => (
  <SecretView title={`Signing secret of ${made.name}`} secret={secret} onCopied={onCopied}>
    <VerifySignature title="Check where a call comes from" code={VERIFY}>
      <p className="text-muted">
        By hand: what follows <Code>v1,</Code> in <Code>webhook-signature</Code> is the base 64 of HMAC-SHA256
        over <Code>webhook-id.webhook-timestamp.body</Code>; its key is the base 64 behind <Code>whsec_</Code>
        .
      </p>
      <p className="text-muted">
        Answer with 2xx; anything else is tried again, for three days. The same event may come twice:{' '}
        <Code>webhook-id</Code> tells.
      </p>
    </VerifySignature>
  </SecretView>
);

const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-sm break-words text-ink">{children}</code>
);
