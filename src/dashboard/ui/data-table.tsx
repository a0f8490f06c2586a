import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { DataTableCard } from './data-table-card.tsx';
import { DataTableHead } from './data-table-head.tsx';
import { DataTableRow } from './data-table-row.tsx';
import { useFittingColumns } from './fitting-columns.ts';
import { useIsNarrow, useMediaQuery } from './media-query.ts';
import { Skeleton } from './skeleton.tsx';
import { useVirtualRows } from './use-virtual-rows.ts';

export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The least width in px; more is shared out by `grow` (0: never wider). */
  min: number;
  grow?: number;
  /** The name to sort by at the service; left out: cannot be sorted. */
  sort?: string;
  align?: 'start' | 'end';
  /** The column that names the row: it holds the row's link. Exactly one. */
  isName?: boolean;
  /** Where room is short, columns with the highest number go first; 0 (the default) always stays. */
  drop?: number;
  /** Its place on a card: beside the title, among the details, or nowhere. */
  card?: 'aside' | 'detail' | 'none';
};

export type Sort = { by: string; isDescending: boolean };

export type Selection = {
  isSelected: (id: string) => boolean;
  toggle: (id: string, isSelected: boolean) => void;
  all: 'none' | 'some' | 'all';
  toggleAll: (isSelected: boolean) => void;
};

export type DataTableProps<Row> = {
  /** What the table lists. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  rowLink: (row: Row) => string;
  /** When this changes, the row is marked for a moment. */
  rowMark?: (row: Row) => string;
  rowActions?: (row: Row) => ReactNode;
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  selection?: Selection;
  /** How many rows there are in all, where that is known. */
  total?: number | undefined;
  isLoading?: boolean;
  /** What is shown answers an earlier question; the next answer is on its way. */
  isStale?: boolean;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMoreFailed?: boolean;
  onLoadMore?: () => void;
  /** The rows in sight, for what must be followed live. */
  onVisible?: (rows: readonly Row[]) => void;
  /** Instead of rows, where there are none. */
  empty: ReactNode;
};

const CARD_PX = 92;
/** The next page is fetched when fewer rows than this are left below. */
const AHEAD_ROWS = 30;
const SKELETON_ROWS = 12;

/**
 * An endless table: only the rows in sight are in the document, the rest is fetched as one scrolls.
 * Arrow keys, Home, End and Page keys move between rows, Enter opens one, Space selects it. On a phone it lists cards.
 */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { columns, rows, rowId, hasMore = false, isLoadingMore = false, onLoadMore, onVisible } = props;
  const isNarrow = useIsNarrow();
  const rowPx = useMediaQuery('(pointer: coarse)') ? 44 : 36;
  const body = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  const fitting = useFittingColumns(columns, body, {
    hasSelection: props.selection !== undefined,
    hasActions: props.rowActions !== undefined,
  });
  const activeIndex = Math.min(active, Math.max(0, rows.length - 1));
  const { items, totalPx, offsetPx, measure, scrollTo, first, last } = useVirtualRows({
    count: rows.length,
    estimatePx: isNarrow ? CARD_PX : rowPx,
    body,
    keep: activeIndex,
    rowKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowId(row);
    },
  });

  const isNearEnd = last >= rows.length - AHEAD_ROWS;
  useEffect(() => {
    if (rows.length > 0 && isNearEnd && hasMore && !isLoadingMore && props.loadMoreFailed !== true)
      onLoadMore?.();
  }, [rows.length, isNearEnd, hasMore, isLoadingMore, props.loadMoreFailed, onLoadMore]);

  const visible = rows.slice(first, last + 1);
  const visibleKey = visible.map(rowId).join(' ');
  useEffect(() => {
    onVisible?.(visible);
    // eslint-disable-next-line react/exhaustive-deps -- told once for each set of rows, not for each change of their data
  }, [visibleKey]);

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
    const perPage = Math.max(1, Math.floor(window.innerHeight / rowPx) - 3);
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
    if (next !== undefined) {
      event.preventDefault();
      moveTo(next);
    } else if (event.key === ' ' && props.selection !== undefined && row !== undefined) {
      event.preventDefault();
      props.selection.toggle(rowId(row), !props.selection.isSelected(rowId(row)));
    }
  };

  if (!(props.isLoading ?? false) && rows.length === 0) {
    return (
      <div className="rounded-md border border-hairline bg-surface" aria-busy={props.isStale ?? false}>
        {props.empty}
      </div>
    );
  }

  const Item = isNarrow ? DataTableCard : DataTableRow;
  const height = rows.length > 0 ? totalPx : SKELETON_ROWS * (isNarrow ? CARD_PX : rowPx);
  return (
    <div
      role={isNarrow ? undefined : 'table'}
      aria-label={isNarrow ? undefined : props.label}
      aria-rowcount={isNarrow ? undefined : props.total === undefined ? -1 : props.total + 1}
      aria-busy={(props.isLoading ?? false) || (props.isStale ?? false)}
      className="rounded-md border border-hairline bg-surface"
    >
      {!isNarrow && <DataTableHead {...props} columns={fitting.columns} template={fitting.template} />}
      <div
        ref={body}
        role={isNarrow ? 'list' : 'rowgroup'}
        aria-label={isNarrow ? props.label : undefined}
        onKeyDown={onKeyDown}
        className={props.isStale === true ? 'relative opacity-60 transition-opacity delay-150' : 'relative'}
        style={{ height }}
      >
        {rows.length === 0 && <SkeletonRows rowPx={isNarrow ? CARD_PX : rowPx} isNarrow={isNarrow} />}
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <Item
              key={item.key}
              table={props}
              columns={isNarrow ? columns : fitting.columns}
              template={fitting.template}
              row={row}
              index={item.index}
              topPx={item.start - offsetPx}
              isActive={item.index === activeIndex}
              onFocusRow={() => setActive(item.index)}
              measure={isNarrow ? measure : undefined}
            />
          );
        })}
      </div>
      <TableFoot {...props} />
    </div>
  );
};

const SkeletonRows = ({ rowPx, isNarrow }: { rowPx: number; isNarrow: boolean }) => (
  <div aria-hidden role="presentation">
    {Array.from({ length: SKELETON_ROWS }, (_, index) => (
      <div
        key={index}
        style={{ height: rowPx }}
        className="flex items-center gap-6 border-b border-hairline px-4 last:border-0"
      >
        <Skeleton className="w-1/4" />
        {!isNarrow && <Skeleton className="w-16" />}
        <Skeleton className="ml-auto w-24" />
      </div>
    ))}
  </div>
);

const TableFoot = ({
  hasMore = false,
  loadMoreFailed = false,
  onLoadMore,
}: Pick<DataTableProps<never>, 'hasMore' | 'loadMoreFailed' | 'onLoadMore'>) => {
  if (!hasMore) return null;
  return (
    <div className="flex min-h-11 items-center gap-3 border-t border-hairline px-4 text-muted">
      {loadMoreFailed ? (
        <>
          <span role="alert">The rows below could not be read.</span>
          <Button onClick={onLoadMore}>Try again</Button>
        </>
      ) : (
        'Reading more…'
      )}
    </div>
  );
};
