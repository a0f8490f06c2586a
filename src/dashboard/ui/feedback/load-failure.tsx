import { useEffect, useRef } from 'react';
import { Button } from '../controls/button.tsx';

/** In place of a part of a page whose code did not load. `hasFocus`: takes the focus, as the part would. */
export const LoadFailure = ({ onRetry, hasFocus = false }: { onRetry: () => void; hasFocus?: boolean }) => {
  // Its memoised form is larger, and it is part of every page.
  'use no memo';
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (hasFocus) first.current?.focus();
  }, [hasFocus]);
  return (
    <div role="alert" className="flex flex-col gap-1">
      <p className="font-semibold text-bad-text">Could not load this part of the page</p>
      <p className="text-sm text-muted">
        The service is unreachable, or it was updated after you opened this tab.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button ref={first} onClick={onRetry}>
          Try again
        </Button>
        <Button variant="quiet" onClick={() => window.location.reload()}>
          Reload page
        </Button>
      </div>
    </div>
  );
};
