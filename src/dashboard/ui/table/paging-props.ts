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
