import type { SignedWebhook } from '#contract/webhooks.ts';
import { describeError } from '../../../api/api-error.ts';
import { useRotateWebhook } from '../../../api/webhook-queries.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { LostSecret } from '../../../ui/lost-secret.tsx';
import { SecretView } from '../../../ui/secret-view.tsx';
import { useSecretOnce, type LostSecretProps, type SecretViewProps } from '../../../ui/use-secret-once.tsx';

/** The secret that a webhook's calls are signed with, to be copied before one leaves. */
export const useWebhookSecret = (onClose: () => void) =>
  useSecretOnce<SignedWebhook>({
    onClose,
    need: 'Without it the receiver cannot tell that a call comes from here.',
    View: WebhookSecret,
    Lost: LostWebhookSecret,
  });

/** Source: https://github.com/standard-webhooks/standard-webhooks, “Signature scheme”. */
const VERIFY = `import { createHmac, timingSafeEqual } from "node:crypto";

// secret: whsec_…, headers: in lower case, body: the raw text
export const isGenuine = (secret, headers, body) => {
  const sentAt = Number(headers['webhook-timestamp']);
  if (Math.abs(Date.now() / 1000 - sentAt) > 300) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key)
    .update(\`\${headers['webhook-id']}.\${sentAt}.\${body}\`)
    .digest();
  return headers['webhook-signature'].split(' ').some((each) => {
    const given = Buffer.from(each.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
};`;

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
        says, for which there are libraries in most languages. Without one, in Node:
      </p>
      <CodeBlock label="Check the signature of a call in Node" code={VERIFY} />
      <p className="text-muted">
        The same event may come twice: <code className="font-mono text-sm">webhook-id</code> tells. Answer
        with 2xx within the timeout; anything else is tried again for three days.
      </p>
    </div>
  </SecretView>
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
