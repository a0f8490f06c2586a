import { Button } from '../controls/button.tsx';
import type { DataTableProps } from './data-table-props.ts';

type Props = Pick<DataTableProps<never>, 'hasMore' | 'loadMoreFailed' | 'onLoadMore'> & {
  /** What is loaded: “rows”, “events”. */
  kind: string;
};

/** The end of a list whose next page loads on scroll, or could not be loaded. */
export const MoreRows = ({ kind, hasMore = false, loadMoreFailed = false, onLoadMore }: Props) => {
  // Its memoised form is larger.
  'use no memo';
  if (!hasMore) return null;
  return (
    <div className="flex min-h-11 items-center gap-3 px-4 text-muted">
      {loadMoreFailed ? (
        <>
          <span role="alert">Could not load more {kind}.</span>
          <Button onClick={onLoadMore}>Try again</Button>
        </>
      ) : (
        'Loading more…'
      )}
    </div>
  );
};
