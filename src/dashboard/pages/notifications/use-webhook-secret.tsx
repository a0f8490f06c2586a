import type { SignedWebhook } from '#contract/webhooks.ts';
import { describeError } from '../../api/api-error.ts';
import { useRotateWebhook } from '../../resources/webhooks/webhook-queries.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { LostSecret } from '../../kit/secret/lost-secret.tsx';
import { SecretView } from '../../kit/secret/secret-view.tsx';
import {
  useSecretOnce,
  type LostSecretProps,
  type SecretViewProps,
} from '../../kit/secret/use-secret-once.tsx';

/** The secret that a webhook's calls are signed with, to be copied before one leaves. */
export const useWebhookSecret = (onClose: () => void) =>
  useSecretOnce<SignedWebhook>({
    onClose,
    need: 'Without it the receiver cannot tell that a call comes from here.',
    View: WebhookSecret,
    Lost: LostWebhookSecret,
  });

const VERIFY = `import { Webhook } from 'standardwebhooks';

// Throws unless the call comes from here.
new Webhook(secret).verify(rawBody, headers);`;

const WebhookSecret = ({ made, secret, onCopied }: SecretViewProps<SignedWebhook>) => (
  <SecretView title={`Signing secret of ${made.name}`} secret={secret} onCopied={onCopied}>
    <div className="flex flex-col gap-2">
      <h3 className="font-medium">Check where a call comes from</h3>
      <p className="text-muted">
        Calls are signed as{' '}
        <a
          href="https://www.standardwebhooks.com"
          target="_blank"
          rel="noreferrer"
          className="rounded-sm text-accent underline decoration-current/30 underline-offset-2 hover:decoration-current"
        >
          Standard Webhooks
        </a>{' '}
        has it, for which there are libraries in most languages. In Node:
      </p>
      <CodeBlock label="Check the signature of a call in Node" code={VERIFY} />
      <p className="text-muted">
        By hand: what follows <Code>v1,</Code> in <Code>webhook-signature</Code> is the base 64 of HMAC-SHA256
        over <Code>webhook-id.webhook-timestamp.body</Code>; its key is the base 64 behind <Code>whsec_</Code>
        .
      </p>
      <p className="text-muted">
        Answer with 2xx; anything else is tried again, for three days. The same event may come twice:{' '}
        <Code>webhook-id</Code> tells.
      </p>
    </div>
  </SecretView>
);

const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-sm break-words text-ink">{children}</code>
);

const LostWebhookSecret = ({ made, onRemade }: LostSecretProps<SignedWebhook>) => {
  const rotate = useRotateWebhook();
  return (
    <LostSecret
      isBusy={rotate.isPending}
      error={rotate.isError ? describeError(rotate.error).detail : null}
      onRemake={() => rotate.mutate({ id: made.id, overlapSeconds: 0 }, { onSuccess: onRemade })}
    >
      {made.name} was created, but the connection broke before its secret arrived.
    </LostSecret>
  );
};
