import type { ReactNode } from 'react';
import { CopyButton } from '../controls/copy-button.tsx';
import { RetryButton } from './retry-button.tsx';

type Props = {
  title: string;
  detail: string;
  requestId?: string | null;
  onRetry?: (() => void) | undefined;
  action?: ReactNode;
};

/** The error, what to do, the ID of the request, and a button to retry. */
export const ErrorState = ({ title, detail, requestId, onRetry, action }: Props) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  return (
    <div role="alert" className="flex flex-col items-start gap-1 px-4 py-8">
      <h2 className="font-semibold text-bad-text">{title}</h2>
      <p className="max-w-[64ch] text-muted">{detail}</p>
      {requestId != null && (
        <p className="flex items-center gap-1 text-sm text-faint">
          Request <code className="font-mono break-all">{requestId}</code>
          <CopyButton text={requestId} label="Copy request ID" />
        </p>
      )}
      {(onRetry !== undefined || action !== undefined) && (
        <div className="mt-3 flex flex-wrap gap-2">
          {onRetry !== undefined && <RetryButton onRetry={onRetry} />}
          {action}
        </div>
      )}
    </div>
  );
};
