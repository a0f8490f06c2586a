import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { DataTableProps, RowReading } from './data-table-props.ts';

/** The next page is fetched when fewer rows than this are left below. */
const AHEAD_ROWS = 30;

/** Fetches more rows as the last ones come near. */
export const useMoreRows = <Row>(
  { rows, hasMore = false, isLoadingMore = false, loadMoreFailed = false, onLoadMore }: DataTableProps<Row>,
  last: number,
) => {
  const isNearEnd = rows.length > 0 && last >= rows.length - AHEAD_ROWS;
  useEffect(() => {
    if (isNearEnd && hasMore && !isLoadingMore && !loadMoreFailed) onLoadMore?.();
  }, [isNearEnd, hasMore, isLoadingMore, loadMoreFailed, onLoadMore]);
};

type RowKeys<Row> = {
  body: { current: HTMLElement | null };
  rows: readonly Row[];
  reading: RowReading<Row>;
  perPage: number;
  scrollTo: (index: number) => void;
};

/** Moves between rows by keyboard; one of them is what Tab reaches. */
export const useRowKeys = <Row>({ body, rows, reading, perPage, scrollTo }: RowKeys<Row>) => {
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  const activeIndex = Math.min(active, Math.max(0, rows.length - 1));

  // The row that the keyboard went to may be drawn only after the scroll.
  useEffect(() => {
    if (!wantsFocus.current) return;
    const link = body.current?.querySelector<HTMLElement>(`[data-index="${activeIndex}"] [data-row-link]`);
    if (link == null) return;
    wantsFocus.current = false;
    link.focus({ preventScroll: true });
  });

  const moveTo = (index: number) => {
    const next = Math.min(Math.max(0, index), rows.length - 1);
    setActive(next);
    wantsFocus.current = true;
    // The first row brings the page's head with it.
    if (next === 0) window.scrollTo({ top: 0 });
    else scrollTo(next);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target as HTMLElement;
    if (!target.matches('[data-row-link]') || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Record<string, number> = {
      ArrowDown: activeIndex + 1,
      ArrowUp: activeIndex - 1,
      PageDown: activeIndex + perPage,
      PageUp: activeIndex - perPage,
      Home: 0,
      End: rows.length - 1,
    };
    const next = steps[event.key];
    const row = rows[activeIndex];
    const { selection, rowId } = reading;
    if (next !== undefined) {
      event.preventDefault();
      moveTo(next);
    } else if (event.key === ' ' && selection !== undefined && row !== undefined) {
      event.preventDefault();
      selection.toggle(rowId(row), !selection.isSelected(rowId(row)));
    }
  };
  return { activeIndex, setActive, onKeyDown };
};
