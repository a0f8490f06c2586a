import type { ReactNode } from 'react';

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

/** How the rows of a table are read: by cards as by rows. */
export type RowReading<Row> = {
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  rowLink: (row: Row) => string;
  /** When this changes, the row is marked for a moment. */
  rowMark?: ((row: Row) => string) | undefined;
  rowActions?: ((row: Row) => ReactNode) | undefined;
  selection?: Selection | undefined;
};

export type DataTableProps<Row> = RowReading<Row> & {
  /** What the table lists. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** How many rows there are in all, where that is known. */
  total?: number | undefined;
  isLoading?: boolean;
  /** What is shown answers an earlier question; the next answer is on its way. */
  isStale?: boolean;
  hasMore?: boolean;
  isLoadingMore?: boolean;
  loadMoreFailed?: boolean;
  onLoadMore?: () => void;
  /** The rows in sight, for what must be followed live. Must not set a state: it is told at each scroll. */
  onVisible?: ((rows: readonly Row[]) => void) | undefined;
  /** Instead of rows, where there are none. */
  empty: ReactNode;
};

type PagedList = {
  isPending: boolean;
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => Promise<unknown>;
};

/** What a table is told of a list that is read page by page as one scrolls. */
export const pagingProps = (list: PagedList) => ({
  isLoading: list.isPending,
  isStale: list.isPlaceholderData,
  hasMore: list.hasNextPage,
  isLoadingMore: list.isFetchingNextPage,
  loadMoreFailed: list.isFetchNextPageError,
  onLoadMore: () => void list.fetchNextPage(),
});
