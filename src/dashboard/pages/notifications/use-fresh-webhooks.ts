import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Webhook } from '#contract/webhooks.ts';
import { useLiveEvents } from '../../api/live/use-live.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** A call takes about this long to be made and answered. */
const CALLED_AFTER_MS = 1_500;

/**
 * Reads webhooks again after an event that one of them tells: its counts change by that. (Their own events, which
 * tell of changes and of states, are heeded wherever the stream is.)
 */
export const useFreshWebhooks = (webhooks: readonly Webhook[]) => {
  const client = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvents(({ type }) => {
    if (timer.current !== undefined || !webhooks.some(({ events }) => events.includes(type))) return;
    timer.current = setTimeout(() => {
      timer.current = undefined;
      void client.invalidateQueries({ queryKey: queryKeys.webhooks });
    }, CALLED_AFTER_MS);
  });
};
