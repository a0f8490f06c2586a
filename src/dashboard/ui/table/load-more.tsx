import { useState } from 'react';
import { Button } from '../controls/button.tsx';

type Props = {
  list: {
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    fetchNextPage: () => Promise<unknown>;
  };
  /** What is loaded: “devices”, “topics”. */
  kind: string;
  label: string;
};

/** Takes the focus of a button that has disappeared. */
const focusIfLost = (element: HTMLElement | null) => {
  if (document.activeElement === document.body) element?.focus({ preventScroll: true });
};

/** The end of a list whose next page loads with a button, or could not be loaded. */
export const LoadMore = ({ list, kind, label }: Props) => {
  const [wasUsed, setWasUsed] = useState(false);
  const hasFailed = list.isFetchNextPageError;
  if (!list.hasNextPage)
    return (
      wasUsed && (
        <p ref={focusIfLost} tabIndex={-1} className="sr-only">
          All {kind} are listed.
        </p>
      )
    );
  return (
    <div className="flex flex-wrap items-center gap-3 border-t border-hairline px-4 py-2.5">
      {hasFailed && (
        <span role="alert" className="text-muted">
          Could not load more {kind}.
        </span>
      )}
      <Button
        busy={list.isFetchingNextPage}
        onClick={() => {
          setWasUsed(true);
          void list.fetchNextPage();
        }}
      >
        {hasFailed ? 'Try again' : label}
      </Button>
    </div>
  );
};
