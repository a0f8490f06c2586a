import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReplayPreview, ReplayPreviewRequest } from '#contract/rejections.ts';
import { rejectionQueries } from '../../api/rejection-queries.ts';

const addCauses = (all: ReplayPreview['causes'], more: ReplayPreview['causes']): ReplayPreview['causes'] => {
  const byReason = new Map(all.map((cause) => [cause.reason, cause]));
  for (const cause of more) {
    const { values = 0, messages = 0, ...known } = byReason.get(cause.reason) ?? {};
    byReason.set(cause.reason, {
      ...cause,
      ...known,
      values: values + cause.values,
      messages: messages + cause.messages,
    });
  }
  return [...byReason.values()].toSorted((a, b) => b.values - a.values);
};

const add = (all: ReplayPreview, more: ReplayPreview): ReplayPreview => ({
  ...all,
  messages: all.messages + more.messages,
  replayed: all.replayed + more.replayed,
  rejected: all.rejected + more.rejected,
  causes: addCauses(all.causes, more.causes),
  samples: all.samples.length === 0 ? more.samples : all.samples,
});

/**
 * What a replay would come to, answer by answer until every message was tried. `preview` is of those that were tried
 * so far; undefined: none yet.
 */
export const useReplayPreview = (pipelineId: string, request: Omit<ReplayPreviewRequest, 'cursor'>) => {
  const query = useInfiniteQuery({
    ...rejectionQueries.previewReplay(pipelineId, request),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const { data, error, hasNextPage, isFetching, isPlaceholderData, fetchNextPage, refetch } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, error, fetchNextPage]);
  const [first, ...others] = data?.pages ?? [];
  return {
    preview: first && others.reduce(add, first),
    isDone: data !== undefined && !hasNextPage && !isFetching && !isPlaceholderData,
    /** What is shown is of an earlier request. */
    isStale: isPlaceholderData,
    error,
    retry: () => void (data === undefined ? refetch() : fetchNextPage()),
  };
};
