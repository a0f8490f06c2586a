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
      Penstock signs requests as{' '}
      <a
        href="https://www.standardwebhooks.com"
        target="_blank"
        rel="noreferrer"
        className="rounded-sm text-accent underline decoration-current/30 underline-offset-2 hover:decoration-current"
      >
        Standard Webhooks
      </a>{' '}
      describes. Most languages have a library. In Node:
    </p>
    <CodeBlock label="Verify a request in Node" code={code} />
    {children}
  </div>
);
