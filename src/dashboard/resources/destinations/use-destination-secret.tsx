import type { SignedDestination } from '#contract/destinations.ts';
import { CodeBlock } from '../../ui/layout/code-block.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { SecretView } from '../../kit/secret/secret-view.tsx';
import {
  useSecretOnce,
  type LostSecretProps,
  type SecretViewProps,
} from '../../kit/secret/use-secret-once.tsx';

/** The secret that calls of a webhook are signed with, to be copied before one leaves. */
export const useDestinationSecret = (onClose: () => void) =>
  useSecretOnce<SignedDestination>({
    onClose,
    need: 'Without it the receiver cannot tell that values come from here.',
    View: DestinationSecret,
    Lost: LostDestinationSecret,
  });

const VERIFY = `import { Webhook } from 'standardwebhooks';

// Throws unless the call comes from here.
const { pipeline, samples } = new Webhook(secret).verify(rawBody, headers);`;

const DestinationSecret = ({ made, secret, onCopied }: SecretViewProps<SignedDestination>) => (
  <SecretView title={`Signing secret of ${made.name}`} secret={secret} onCopied={onCopied}>
    <div className="flex flex-col gap-2">
      <h3 className="font-medium">Check where values come from</h3>
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
        Answer with 2xx once the values are kept; anything else is tried again. The same values may come
        twice: <code className="font-mono text-sm break-words text-ink">webhook-id</code> tells.
      </p>
    </div>
  </SecretView>
);

const LostDestinationSecret = ({ made }: LostSecretProps<SignedDestination>) => (
  <FormNotice tone="attention">
    {made.name} was created, but the connection broke before its signing secret arrived. Delete it and add it
    again to have one.
  </FormNotice>
);
