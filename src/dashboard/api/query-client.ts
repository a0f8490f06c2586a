import { notifyManager, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';

const MAX_TRIES = 3;

/** Whether a retry can succeed: no response arrived, or the service is busy. */
const isTransient = (error: unknown) =>
  error instanceof ApiError && (error.code === 'offline' || error.status === 503 || error.status === 408);

/** Grows from 0.5 s to 15 s, with jitter, so that many tabs do not reconnect at once. */
export const backoffMs = (attempt: number): number =>
  Math.min(15_000, 500 * 2 ** attempt) * (0.5 + Math.random() / 2);

// Renders a response at once. By default this waits for a later task, and often for a frame before it.
notifyManager.setScheduler(queueMicrotask);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The live stream keeps the screen up to date; this limits the age of data that it does not report.
      staleTime: 30_000,
      gcTime: 10 * 60_000,
      // A console on a plant network works without the internet, whatever the browser reports.
      networkMode: 'always',
      retry: (failures, error) => failures < MAX_TRIES && isTransient(error),
      retryDelay: (attempt, error) =>
        (error instanceof ApiError ? error.retryAfterMs : null) ?? backoffMs(attempt),
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
