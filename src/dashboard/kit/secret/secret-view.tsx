import { useEffect, useRef, type ReactNode } from 'react';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { linkClass } from '../../ui/controls/link.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';
import { CodeBlock } from '../../ui/layout/code-block.tsx';

type Props = {
  /** Whose secret it is. */
  title: string;
  secret: string;
  onCopied: () => void;
  /** What to do with it. */
  children: ReactNode;
};

/** A secret that is shown once, to be copied now. */
export const SecretView = ({ title, secret, onCopied, children }: Props) => {
  const view = useRef<HTMLDivElement>(null);
  // Replaces the form that had the focus, so the focus moves to the next step.
  useEffect(() => view.current?.querySelector('button')?.focus(), []);
  // Copying the whole secret by hand counts like the button.
  const onCopy = () => {
    if (document.getSelection()?.toString().includes(secret) === true) onCopied();
  };
  return (
    <div ref={view} onCopy={onCopy} className="flex flex-col gap-5">
      <FormNotice tone="attention">Copy the secret now. You cannot see it again.</FormNotice>
      <div>
        <h3 className="mb-1.5 font-medium">{title}</h3>
        <div className="flex flex-col gap-2">
          <code className="block rounded-md border border-hairline bg-sunken p-3 font-mono text-sm break-all select-all">
            {secret}
          </code>
          <CopyButton
            variant="primary"
            text={secret}
            label="Copy secret"
            onCopied={onCopied}
            className="self-start"
          />
        </div>
      </div>
      {children}
    </div>
  );
};

type SigningSecretProps = {
  /** Whose secret it is. */
  name: string;
  secret: string;
  onCopied: () => void;
  /** How to verify a request in Node. */
  code: string;
  /** What else the receiver needs to know. */
  children: ReactNode;
};

/** A secret that signs requests, and how their receiver verifies them. */
export const SigningSecretView = ({ name, secret, onCopied, code, children }: SigningSecretProps) => (
  <SecretView title={`Signing secret for ${name}`} secret={secret} onCopied={onCopied}>
    <div className="flex flex-col gap-2">
      <h3 className="font-medium">Verify requests</h3>
      <p className="text-muted">
        Penstock signs requests as{' '}
        <a href="https://www.standardwebhooks.com" target="_blank" rel="noreferrer" className={linkClass}>
          Standard Webhooks
        </a>{' '}
        describes. Most languages have a library. In Node:
      </p>
      <CodeBlock label="Verify a request in Node" code={code} />
      {children}
    </div>
  </SecretView>
);
