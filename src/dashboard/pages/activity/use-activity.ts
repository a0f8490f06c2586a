import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Event } from '#contract/events.ts';
import { eventQueries, type EventFilters } from '../../resources/events/event-queries.ts';
import { liveStatus } from '../../api/live/live-status.ts';
import { useLiveEvents } from '../../api/live/use-live.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { matchesFilters } from './activity-filters.ts';

/** Events come by the hundred where a thousand devices turn: they are shown in batches. */
const FLUSH_MS = 250;
/** After so many that came by the stream the list is read anew, so that what is kept of them stays bounded. */
const READ_AFTER = 500;
const MAX_KEPT = 2 * READ_AFTER;

type Arrived = { event: Event; arrivedMs: number };
/** What came by the stream, newest first: shown, or held back while somebody reads further down. */
type Log = { shown: readonly Arrived[]; held: readonly Arrived[] };

const added = (fresh: readonly Arrived[], old: readonly Arrived[]) => [...fresh, ...old].slice(0, MAX_KEPT);
const released = (log: Log): Log =>
  log.held.length === 0 ? log : { shown: added(log.held, log.shown), held: [] };

/**
 * The events that match, newest first, with those that happen meanwhile. While `mustHold()` says that somebody
 * reads further down, new ones wait, counted, so that nothing moves under the eyes.
 */
export const useActivity = (filters: EventFilters, mustHold: () => boolean) => {
  // What the stream did not tell while this page was elsewhere is read on the way in.
  const list = useInfiniteQuery({ ...eventQueries.list(filters), staleTime: 1_000 });
  const [log, setLog] = useState<Log>({ shown: [], held: [] });
  const waiting = useRef<Arrived[]>([]);
  const sinceRead = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Asked when a batch is shown, by which time somebody may have begun to read.
  const holdsNow = useRef(mustHold);
  useEffect(() => {
    holdsNow.current = mustHold;
  });

  useLiveEvents((event) => {
    waiting.current.push({ event, arrivedMs: Date.now() });
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      const fresh = waiting.current.toReversed();
      waiting.current = [];
      const holds = holdsNow.current();
      setLog((old) => {
        const next = { ...old, held: added(fresh, old.held) };
        return holds ? next : released(next);
      });
      sinceRead.current += fresh.length;
      if (sinceRead.current < READ_AFTER) return;
      sinceRead.current = 0;
      void list.refetch();
    }, FLUSH_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);

  // What happened between the first read and the stream's beginning was told by neither.
  const refetch = useEffectEvent(() => void list.refetch());
  useEffect(() => {
    if (liveStatus.get().state === 'live') return undefined;
    const stop = liveStatus.subscribe(() => {
      if (liveStatus.get().state !== 'live') return;
      stop();
      refetch();
    });
    return () => void stop();
  }, []);

  const release = () => setLog(released);
  // Whoever scrolls back to the top gets what waited there.
  const onScroll = useEffectEvent(() => {
    if (!mustHold()) release();
  });
  useEffect(() => {
    const listener = () => onScroll();
    window.addEventListener('scroll', listener, { passive: true });
    return () => window.removeEventListener('scroll', listener);
  }, []);

  const read = list.data?.pages.flatMap((page) => page.data) ?? [];
  const known = new Set(read.map(({ id }) => id));
  // What was read again since it came stands in the list already.
  const isNew = ({ event }: Arrived) => !known.has(event.id) && matchesFilters(event, filters, nowMs());
  return {
    list,
    events: [...log.shown.filter(isNew).map(({ event }) => event), ...read],
    /** When each that came by the stream did so, in epoch ms. */
    arrivedMs: new Map(log.shown.map(({ event, arrivedMs }) => [event.id, arrivedMs])),
    heldCount: log.held.filter(isNew).length,
    release,
  };
};
