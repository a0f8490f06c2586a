import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Event, ListedEvent } from '#contract/events.ts';
import { eventQueries, type EventFilters } from '../../resources/events/event-queries.ts';
import { collapseRuns, isInRun, isRun } from '../../resources/events/event-run.ts';
import { liveStatus } from '../../api/live/live-status.ts';
import { useLiveEvents } from '../../api/live/use-live.ts';
import { nowMs } from '../../ui/browser/clock.ts';
import { matchesFilters } from './activity-filters.ts';
import { loadedItems } from '../../api/paged-list.ts';

/** Events are shown in batches: many devices may change state at once. */
const FLUSH_MS = 250;
/** The list is refetched after this many events, which limits the events kept in memory. */
const READ_AFTER = 500;
const MAX_KEPT = 2 * READ_AFTER;

type Arrived = { event: Event; arrivedMs: number };
/** Events of the stream, newest first: shown, or held back while the list is scrolled down. */
type Log = { shown: readonly Arrived[]; held: readonly Arrived[] };

const added = (fresh: readonly Arrived[], old: readonly Arrived[]) => [...fresh, ...old].slice(0, MAX_KEPT);
const released = (log: Log): Log =>
  log.held.length === 0 ? log : { shown: added(log.held, log.shown), held: [] };

/**
 * The matching events, newest first, including new ones of the stream. While `mustHold()` is true, new events are
 * counted and held back, so that the list does not move.
 */
export const useActivity = (filters: EventFilters, mustHold: () => boolean) => {
  // Events that occurred while this page was closed are queried when it opens.
  const list = useInfiniteQuery({ ...eventQueries.list(filters), staleTime: 1_000 });
  const [log, setLog] = useState<Log>({ shown: [], held: [] });
  const waiting = useRef<Arrived[]>([]);
  const sinceRead = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // Evaluated when a batch is shown, since the list may have been scrolled by then.
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

  // Events between the first query and the start of the stream are in neither.
  const refetch = useEffectEvent(() => void list.refetch());
  useEffect(() => {
    if (liveStatus.get().state === 'live') return undefined;
    const stop = liveStatus.subscribe(() => {
      if (liveStatus.get().state !== 'live') return;
      stop();
      refetch();
    });
    return stop;
  }, []);

  const release = () => setLog(released);
  // Scrolling to the top shows the held events.
  const onScroll = useEffectEvent(() => {
    if (!mustHold()) release();
  });
  useEffect(() => {
    const listener = () => onScroll();
    window.addEventListener('scroll', listener, { passive: true });
    return () => window.removeEventListener('scroll', listener);
  }, []);

  const read = loadedItems(list.data);
  const known = new Set(read.map(({ id }) => id));
  // Events of the stream that a later query returned are in the list already.
  const runs = read.filter(isRun);
  const isNew = ({ event }: Arrived) =>
    !known.has(event.id) &&
    !runs.some((entry) => isInRun(event, entry)) &&
    matchesFilters(event, filters, nowMs());
  const events: readonly ListedEvent[] = [...log.shown.filter(isNew).map(({ event }) => event), ...read];
  return {
    list,
    events: collapseRuns(events),
    /** When each event of the stream arrived, in epoch ms. */
    arrivedMs: new Map(log.shown.map(({ event, arrivedMs }) => [event.id, arrivedMs])),
    heldCount: log.held.filter(isNew).length,
    release,
  };
};

export type Activity = ReturnType<typeof useActivity>;
