import type { ReactNode } from 'react';
import { CodeBlock } from '../../ui/layout/code-block.tsx';

type Props = {
  title: string;
  /** How it is done in Node. */
  code: string;
  /** What else the receiver needs to know. */
  children: ReactNode;
};

/** How a receiver of signed calls checks their signature. */
export const VerifySignature = ({ title, code, children }: Props) => (
  <div className="flex flex-col gap-2">
    <h3 className="font-medium">{title}</h3>
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
    <CodeBlock label="Check the signature of a call in Node" code={code} />
    {children}
  </div>
);
