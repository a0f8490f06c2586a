import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReplayPreview, ReplayPreviewRequest } from '#contract/rejections.ts';
import { rejectionQueries } from './rejection-queries.ts';

const addReasons = (
  all: ReplayPreview['reasons'],
  more: ReplayPreview['reasons'],
): ReplayPreview['reasons'] => {
  const byReason = new Map(all.map((found) => [found.reason, found]));
  for (const found of more) {
    const { samples = 0, messages = 0, ...known } = byReason.get(found.reason) ?? {};
    byReason.set(found.reason, {
      ...found,
      ...known,
      samples: samples + found.samples,
      messages: messages + found.messages,
    });
  }
  return [...byReason.values()].toSorted((a, b) => b.samples - a.samples);
};

const add = (all: ReplayPreview, more: ReplayPreview): ReplayPreview => ({
  ...all,
  messages: all.messages + more.messages,
  passed: all.passed + more.passed,
  replayed: all.replayed + more.replayed,
  rejected: all.rejected + more.rejected,
  skipped: all.skipped + more.skipped,
  reasons: addReasons(all.reasons, more.reasons),
  samples: all.samples.length === 0 ? more.samples : all.samples,
});

/** The state of a replay preview. */
export type ReplayPreviewState = {
  /** The result so far; undefined: none yet. */
  preview: ReplayPreview | undefined;
  /** Every message was previewed. */
  isDone: boolean;
  /** When the last messages of the preview were tested, in epoch ms. */
  testedAtMs: number;
  /** The preview is of an earlier request. */
  isStale: boolean;
  /** Waits for `retry`: every message so far took too long. */
  isPaused: boolean;
  /** Why the preview stopped. */
  error: Error | null;
  /** Retries or continues. */
  retry: () => void;
};

/** Reasons of slow expressions: the next message would take as long. */
const tooSlowReasons = ['expression-timeout', 'expression-memory'];

/** Previews a replay, request by request, until every message is done. */
export const useReplayPreview = (
  pipelineId: string,
  request: Omit<ReplayPreviewRequest, 'cursor'>,
  /** Pauses the preview. */
  isOff = false,
): ReplayPreviewState => {
  const query = useInfiniteQuery({
    ...rejectionQueries.previewReplay(pipelineId, request),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const { data, error, hasNextPage, isFetching, isPlaceholderData, fetchNextPage, refetch } = query;
  const { dataUpdatedAt: testedAtMs } = query;
  const last = data?.pages.at(-1);
  const isSlow = last?.replayed === 0 && last.reasons.every(({ reason }) => tooSlowReasons.includes(reason));
  const isPaused = hasNextPage && isSlow && !isFetching && !isPlaceholderData;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isPaused && !isOff && error === null) void fetchNextPage();
  }, [hasNextPage, isFetching, isPaused, isOff, error, fetchNextPage]);
  const [first, ...others] = data?.pages ?? [];
  return {
    preview: first && others.reduce(add, first),
    // Also while it runs again: the same outcome is not announced twice.
    isDone: data !== undefined && !hasNextPage && !isPlaceholderData,
    testedAtMs,
    isStale: isPlaceholderData,
    isPaused,
    error,
    retry: () => void (data === undefined ? refetch() : fetchNextPage()),
  };
};
