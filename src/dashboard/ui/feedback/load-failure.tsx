import { useEffect, useLayoutEffect, useRef } from 'react';
import { useFocusAfterControlRemoval } from '../browser/focus-fallback.ts';
import type { LoadRetry } from '../browser/lazy-part.tsx';
import { Button } from '../controls/button.tsx';

/** In place of a part of a page whose code did not load. `hasFocus`: takes the focus, as the part would. */
export const LoadFailure = ({
  isRetrying,
  onRetry,
  onForget,
  hasFocus = false,
}: LoadRetry & { hasFocus?: boolean }) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  const first = useRef<HTMLButtonElement>(null);
  // Again when it was hidden meanwhile, while its code loaded once more.
  useLayoutEffect(() => {
    if (hasFocus) first.current?.focus();
  }, [hasFocus]);
  useFocusAfterControlRemoval(first);
  useEffect(() => onForget, [onForget]);
  return (
    <div role="alert" className="flex flex-col gap-1">
      <p className="font-semibold text-bad-text">Could not load this part of the page</p>
      <p className="text-sm text-muted">
        The service is unreachable, or was updated after you opened this tab.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button ref={first} busy={isRetrying} onClick={onRetry}>
          Try again
        </Button>
        <Button variant="quiet" onClick={() => window.location.reload()}>
          Reload page
        </Button>
      </div>
    </div>
  );
};
