import { useEffect } from 'react';
import { RetryButton } from '../feedback/retry-button.tsx';
import type { DataTableProps } from './data-table-props.ts';

type Paging = Pick<DataTableProps<never>, 'hasMore' | 'readAtMs' | 'loadMoreFailed' | 'onLoadMore'>;

/** The next page loads when fewer rows than this remain below. */
const AHEAD_ROWS = 30;

/**
 * Loads more rows when the last ones come near. `onLoadMore` does nothing while the list is being read, and is called again after
 * each read.
 */
export const useMoreRows = (
  { hasMore = false, readAtMs, loadMoreFailed = false, onLoadMore }: Paging,
  { count, last }: { count: number; last: number },
) => {
  const isNearEnd = count > 0 && last >= count - AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd && hasMore && !loadMoreFailed) onLoadMore?.();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- called once more after each read
  }, [isNearEnd, hasMore, readAtMs, loadMoreFailed, onLoadMore]);
};

type Props = Omit<Paging, 'readAtMs'> & {
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
          <RetryButton onRetry={() => onLoadMore?.()} />
        </>
      ) : (
        'Loading more…'
      )}
    </div>
  );
};
