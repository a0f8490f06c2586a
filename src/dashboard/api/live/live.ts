import type * as z from 'zod';
import { streamFrames, type StreamFrame, type StreamKind } from '#contract/stream.ts';
import { createConnection } from './live-connection.ts';
import { liveStatus, type LiveState } from './live-status.ts';
import { joinTabs, type Tabs } from './live-tabs.ts';
import {
  isCovered,
  mergeSubscriptions,
  subscriptionsOf,
  type Watch,
  type Subscriptions,
} from './live-subscriptions.ts';
import { session } from '../session.ts';

export type LiveHandlers = {
  onFrame: <K extends StreamKind>(kind: K, frame: StreamFrame<K>) => void;
  /** Frames were lost: refetch what is on screen. */
  onGap: () => void;
};

/** Messages between tabs: followers send their subscriptions, the leader sends states and frames. */
type TabMessage =
  | { kind: 'subscriptions'; subscriptions: Subscriptions }
  | { kind: 'retry' }
  | { kind: 'state'; state: LiveState; lastContactMs: number | null; openSubscriptions: Subscriptions | null }
  | { kind: 'frame'; name: string; data: string; id: string | undefined }
  | { kind: 'gap' };

const CLOSE_HIDDEN_AFTER_MS = 10_000;
/** A tab without a message for longer than this is gone. */
const TAB_GONE_AFTER_MS = 20_000;

const isKind = (name: string): name is StreamKind => Object.hasOwn(streamFrames, name);

/** The stream as one tab sees it: its own, or the stream of the tab that leads in this browser. */
export const createLive = (handlers: LiveHandlers) => {
  const watches = new Set<Watch>();
  const opened = new WeakSet<Watch>();
  const others = new Map<string, { subscriptions: Subscriptions; atMs: number }>();
  let tabs: Tabs<TabMessage> | undefined;
  let running = false;
  let lastEventId: string | undefined;
  /** Frames may have been lost since the last refetch. */
  let hadGap = false;
  /** The subscriptions of the open stream; null if none is open. */
  let openSubscriptions: Subscriptions | null = null;
  let hiding: ReturnType<typeof setTimeout> | undefined;

  const setOpenSubscriptions = (subscriptions: Subscriptions | null) => {
    openSubscriptions = subscriptions;
    if (subscriptions === null) return;
    for (const watch of watches) {
      if (opened.has(watch) || !isCovered(subscriptions, watch)) continue;
      opened.add(watch);
      watch.onOpen?.();
    }
  };

  const reportGap = () => {
    hadGap = false;
    handlers.onGap();
  };

  const deliver = (name: string, data: string, id: string | undefined) => {
    if (id !== undefined) lastEventId = id;
    if (!isKind(name)) return;
    if (name === 'reset') {
      lastEventId = undefined;
      handlers.onGap();
      return;
    }
    const schema: z.ZodType = streamFrames[name];
    const frame = schema.safeParse(JSON.parse(data));
    // An unknown frame, of a newer service, is skipped: the next query returns the change.
    if (frame.success) handlers.onFrame(name, frame.data as StreamFrame<typeof name>);
  };

  const sendState = () => {
    const { state, lastContactMs } = liveStatus.get();
    tabs?.send({ kind: 'state', state, lastContactMs, openSubscriptions });
  };

  const connection = createConnection({
    subscriptions: () =>
      mergeSubscriptions([
        subscriptionsOf(watches),
        ...[...others.values()].map(({ subscriptions }) => subscriptions),
      ]),
    lastEventId: () => lastEventId,
    onOpen: (asked, isAgain) => {
      setOpenSubscriptions(asked);
      // Frames report changes only, so changes during a gap must be queried.
      if (isAgain) tabs?.send({ kind: 'gap' });
      if (isAgain || hadGap) reportGap();
      sendState();
    },
    onFrame: (name, data, id) => {
      tabs?.send({ kind: 'frame', name, data, id });
      deliver(name, data, id);
    },
    onBytes: () => liveStatus.recordContact(),
    onState: (state) => {
      if (state !== 'live') setOpenSubscriptions(null);
      liveStatus.set(state);
      sendState();
    },
  });

  const sendSubscriptions = () =>
    tabs?.send({ kind: 'subscriptions', subscriptions: subscriptionsOf(watches) });

  const onMessage = (message: TabMessage, from: string, isLeader: boolean) => {
    const isLeading = tabs?.isLeading() === true;
    if (message.kind === 'subscriptions') {
      // Every tab keeps these, so that a new leader subscribes for all tabs at once.
      const isNew = !others.has(from);
      others.set(from, { subscriptions: message.subscriptions, atMs: Date.now() });
      if (isLeading) connection.refresh();
      if (isLeading && isNew) sendState();
    } else if (isLeading) {
      if (message.kind === 'retry') connection.retryNow();
    } else if (!isLeader) return;
    else if (message.kind === 'frame') {
      liveStatus.recordContact();
      deliver(message.name, message.data, message.id);
    } else if (message.kind === 'gap') reportGap();
    else if (message.kind === 'state') {
      if (message.lastContactMs !== null) liveStatus.recordContact(message.lastContactMs);
      liveStatus.set(message.state);
      setOpenSubscriptions(message.openSubscriptions);
      if (message.state === 'live' && hadGap) reportGap();
    }
  };

  const removeSilentTabs = () => {
    const oldest = Date.now() - TAB_GONE_AFTER_MS;
    for (const [id, { atMs }] of others) if (atMs < oldest) others.delete(id);
  };

  const join = () => {
    const current = session.get();
    if (!running || tabs !== undefined || current.status !== 'active') return;
    // Each session has its own channel.
    tabs = joinTabs<TabMessage>(`penstock.live-stream.${current.stored.token.slice(-12)}`, {
      onLead: () => connection.open(),
      onFollow: () => {
        // This tab had its own stream, so it missed earlier frames of the new leader.
        if (openSubscriptions !== null) hadGap = true;
        connection.close();
        sendSubscriptions();
      },
      onLost: () => {
        hadGap = true;
        openSubscriptions = null;
      },
      onMessage,
      onLeft: (from) => {
        others.delete(from);
        if (tabs?.isLeading() === true) connection.refresh();
      },
      onHeartbeat: () => {
        removeSilentTabs();
        if (tabs?.isLeading() === true) {
          sendState();
          connection.refresh();
        } else sendSubscriptions();
      },
    });
  };

  const leave = () => {
    tabs?.leave();
    tabs = undefined;
    others.clear();
    connection.close();
    openSubscriptions = null;
  };

  const leaveWithGap = () => {
    leave();
    hadGap = true;
  };

  const onVisibility = () => {
    if (!running) return;
    clearTimeout(hiding);
    if (!document.hidden) {
      join();
      return;
    }
    hiding = setTimeout(() => {
      leaveWithGap();
      liveStatus.set('paused');
    }, CLOSE_HIDDEN_AFTER_MS);
  };

  const onOnline = () => {
    if (running && tabs?.isLeading() === true) connection.open();
  };

  const refresh = () => {
    if (tabs?.isLeading() === true) connection.refresh();
    else sendSubscriptions();
  };

  return {
    start: () => {
      running = true;
      let token: string | undefined;
      document.addEventListener('visibilitychange', onVisibility);
      window.addEventListener('online', onOnline);
      // A page that Back restores joins the tabs again.
      window.addEventListener('pagehide', leaveWithGap);
      window.addEventListener('pageshow', onVisibility);
      const follow = () => {
        const current = session.get();
        const next = current.status === 'active' ? current.stored.token : undefined;
        if (next === token) return;
        if (token !== undefined) leaveWithGap();
        token = next;
        join();
      };
      const unsubscribe = session.subscribe(follow);
      follow();
      return () => {
        running = false;
        clearTimeout(hiding);
        leave();
        // The next start begins in this state, so that waiting components notice when the stream opens.
        liveStatus.set('connecting');
        unsubscribe();
        document.removeEventListener('visibilitychange', onVisibility);
        window.removeEventListener('online', onOnline);
        window.removeEventListener('pagehide', leaveWithGap);
        window.removeEventListener('pageshow', onVisibility);
      };
    },
    /** Follows `watch` until the returned function is called. */
    watch: (watch: Watch) => {
      watches.add(watch);
      if (openSubscriptions !== null && isCovered(openSubscriptions, watch)) {
        // The open stream covers it already.
        opened.add(watch);
        queueMicrotask(() => watch.onOpen?.());
      }
      refresh();
      return () => {
        watches.delete(watch);
        refresh();
      };
    },
    retryNow: () => {
      if (tabs?.isLeading() === true) connection.retryNow();
      else tabs?.send({ kind: 'retry' });
    },
  };
};
