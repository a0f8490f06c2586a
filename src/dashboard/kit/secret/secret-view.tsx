import { useEffect, useRef, type ReactNode } from 'react';
import { CopyButton } from '../../ui/controls/copy-button.tsx';
import { FormNotice } from '../../ui/feedback/form-notice.tsx';

type Props = {
  /** Whose it is. */
  title: string;
  secret: string;
  onCopied: () => void;
  /** What to do with it. */
  children: ReactNode;
};

/** A secret that is shown once, to be copied now. */
export const SecretView = ({ title, secret, onCopied, children }: Props) => {
  const view = useRef<HTMLDivElement>(null);
  // The form that stood here had the focus; its place is taken by what is to be done next.
  useEffect(() => view.current?.querySelector('button')?.focus(), []);
  // Copying by hand counts as well as the buttons do, where all of it was taken.
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
            look="primary"
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
