import type { ReactNode } from 'react';

/** The least height of a card. */
export const CARD_PX = 66;

/** A sentence in a cell: one line in a table, two in a card. */
export const cellTextClass = 'truncate max-md:line-clamp-2 max-md:whitespace-normal';

/** A text in a cell: up to two lines in a table, one in a card, whose height must not change with the text. */
export const rowTextClass =
  'block truncate md:line-clamp-2 md:leading-4 md:wrap-anywhere md:whitespace-normal';

export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The minimum width in px; further space is shared by `grow` (0: never wider). */
  min: number;
  grow?: number;
  /** The service's name of the sort; left out: not sortable. */
  sort?: string;
  align?: 'start' | 'end';
  /** The column that names the row: it holds the row's link. Exactly one. */
  isName?: boolean;
  /** On narrow screens columns with the highest number are dropped first; 0 (the default): never. */
  drop?: number;
  /** Its place on a card: beside the title, among the details, or nowhere. */
  card?: 'aside' | 'detail' | 'none';
};

export type Sort = { by: string; isDescending: boolean };

/** Which rows are selected, for a table whose rows can be (`useSelection`). */
export type Selection = {
  isSelected: (id: string) => boolean;
  set: (ids: readonly string[], isSelected: boolean) => void;
};

/** How rows and cards read an item. */
export type RowReading<Row> = {
  rowId: (row: Row) => string;
  rowName: (row: Row) => string;
  rowLink: (row: Row) => string;
  /** When this text changes, the row is highlighted for a moment. */
  rowMark?: ((row: Row) => string) | undefined;
  /** New rows reuse the elements of earlier ones: a component with state needs the row's ID as its key. */
  rowActions?: ((row: Row) => ReactNode) | undefined;
};

export type DataTableProps<Row> = RowReading<Row> & {
  /** What the table lists. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  /** Left out: rows have no check boxes. */
  selection?: Selection | undefined;
  /** The total number of rows, if known. */
  total?: number | undefined;
  isLoading?: boolean;
  /** The rows belong to the previous query, while the next one loads. */
  isStale?: boolean;
  hasMore?: boolean;
  /** When the rows were last read, or could not be: epoch ms. */
  readAtMs?: number;
  loadMoreFailed?: boolean;
  onLoadMore?: () => void;
  /** The visible rows, to follow them live. Must not set state: called on each scroll. */
  onVisible?: ((rows: readonly Row[]) => void) | undefined;
  /** Shown if there are no rows. */
  empty: ReactNode;
};

type PagedList = {
  isPending: boolean;
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  dataUpdatedAt: number;
  errorUpdatedAt: number;
  isFetchNextPageError: boolean;
  fetchNextPage: (options: { cancelRefetch: boolean }) => Promise<unknown>;
};

/** The props of a table whose rows are loaded page by page on scroll. */
export const pagingProps = (list: PagedList) => ({
  isLoading: list.isPending,
  isStale: list.isPlaceholderData,
  hasMore: list.hasNextPage,
  // `isFetching` would render the list at the start of each read too.
  readAtMs: Math.max(list.dataUpdatedAt, list.errorUpdatedAt),
  loadMoreFailed: list.isFetchNextPageError,
  onLoadMore: () => void list.fetchNextPage({ cancelRefetch: false }),
});
