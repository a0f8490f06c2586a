import { useEffect, useRef } from 'react';
import type { MintedKey } from '#contract/api-keys.ts';
import { session } from '../../../api/session.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { FormNotice } from '../../../ui/form-notice.tsx';

type Props = { apiKey: MintedKey; secret: string; onCopied: () => void };

/** A first request with the key: the devices, or, where it may not see those, who it is. */
const curlLine = ({ scopes }: MintedKey, secret: string): string =>
  `curl -H "Authorization: Bearer ${secret}" ${session.baseUrl()}${
    scopes.includes('devices:read') ? '/v1/devices' : '/v1/session'
  }`;

/** The secret of a new key, to be copied now. */
export const SecretView = ({ apiKey, secret, onCopied }: Props) => {
  const view = useRef<HTMLDivElement>(null);
  // The form that stood here had the focus; its place is taken by what is to be done next.
  useEffect(() => view.current?.querySelector('button')?.focus(), []);
  // Copying by hand counts as well as the buttons do, where all of it was taken.
  const onCopy = () => {
    if (document.getSelection()?.toString().includes(secret) === true) onCopied();
  };
  return (
    <div ref={view} onCopy={onCopy} className="flex flex-col gap-5">
      <FormNotice tone="attention">
        Copy the secret now. It is shown this once and cannot be read again.
      </FormNotice>
      <div>
        <h3 className="mb-1.5 font-medium">Secret of {apiKey.name}</h3>
        <div className="flex flex-col gap-2">
          <code className="block rounded-md border border-hairline bg-sunken p-3 font-mono text-sm break-all select-all">
            {secret}
          </code>
          <CopyButton
            look="primary"
            text={secret}
            label="Copy the secret"
            onCopied={onCopied}
            className="self-start"
          />
        </div>
      </div>
      <div>
        <h3 className="mb-1.5 font-medium">Try it</h3>
        <CodeBlock label="A first request with curl" code={curlLine(apiKey, secret)} onCopied={onCopied} />
      </div>
    </div>
  );
};
