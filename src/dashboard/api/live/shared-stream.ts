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
import { followPagePresence } from './page-presence.ts';
import { readFrame, type FrameListener } from './read-frame.ts';

export type StreamHandlers = {
  onFrame: FrameListener;
  /** The first stream of this page opened: changes since its first requests were not reported. */
  onStart: () => void;
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

/** A tab without a message for longer than this is gone. */
const TAB_GONE_AFTER_MS = 20_000;
/** The limit of events that a stream sends when it resumes. */
const MAX_DELIVERED_IDS = 1_000;

/** The stream as one tab sees it: its own, or the stream of the tab that leads in this browser. */
export const createSharedStream = (handlers: StreamHandlers) => {
  const watches = new Set<Watch>();
  const opened = new WeakSet<Watch>();
  const others = new Map<string, { subscriptions: Subscriptions; atMs: number }>();
  let tabs: Tabs<TabMessage> | undefined;
  let lastEventId: string | undefined;
  /** IDs of the latest events: a stream that resumes may send some of them again. */
  const deliveredIds = new Set<string>();
  let hasStarted = false;
  /** Frames may have been lost since the last refetch. */
  let hadGap = false;
  /** The subscriptions of the open stream; null if none is open. */
  let openSubscriptions: Subscriptions | null = null;

  const setOpenSubscriptions = (subscriptions: Subscriptions | null) => {
    openSubscriptions = subscriptions;
    if (subscriptions === null) return;
    for (const watch of watches) {
      if (!isCovered(subscriptions, watch)) {
        // The previous stream may have covered the watch: samples are missing until a stream covers it again.
        opened.delete(watch);
      } else if (!opened.has(watch)) {
        opened.add(watch);
        watch.onOpen?.();
      }
    }
  };

  const reportGap = () => {
    hadGap = false;
    handlers.onGap();
  };

  /** Frames report changes only, so changes before the stream opened must be queried. */
  const reportMissed = () => {
    if (hadGap) reportGap();
    else if (!hasStarted) handlers.onStart();
    hasStarted = true;
  };

  const deliver = (name: string, data: string, id: string | undefined) => {
    if (id !== undefined) {
      if (deliveredIds.has(id)) return;
      deliveredIds.add(id);
      const [oldest] = deliveredIds;
      if (deliveredIds.size > MAX_DELIVERED_IDS && oldest !== undefined) deliveredIds.delete(oldest);
      lastEventId = id;
    }
    if (name === 'reset') {
      lastEventId = undefined;
      handlers.onGap();
    } else readFrame(name, data, handlers.onFrame);
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
    onEventId: (id) => {
      lastEventId = id;
    },
    onOpen: (asked, isAgain) => {
      setOpenSubscriptions(asked);
      if (isAgain) {
        tabs?.send({ kind: 'gap' });
        hadGap = true;
      }
      reportMissed();
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
      // A tab that becomes the leader still reports “live” from the previous leader until its own stream opens.
      if (message.openSubscriptions !== null) reportMissed();
    }
  };

  const removeSilentTabs = () => {
    const oldest = Date.now() - TAB_GONE_AFTER_MS;
    for (const [id, { atMs }] of others) if (atMs < oldest) others.delete(id);
  };

  const join = (token: string) => {
    if (tabs !== undefined) return;
    // Each session has its own channel.
    tabs = joinTabs<TabMessage>(`penstock.live-stream.${token.slice(-12)}`, {
      onLead: () => connection.open(),
      onFollow: () => {
        // This tab had its own stream, so it missed earlier frames of the new leader.
        if (openSubscriptions !== null) hadGap = true;
        openSubscriptions = null;
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

  const refresh = () => {
    if (tabs?.isLeading() === true) connection.refresh();
    else sendSubscriptions();
  };

  return {
    start: () => {
      const stop = followPagePresence({
        onPresent: join,
        onAbsent: (why) => {
          leave();
          hadGap = true;
          if (why === 'hidden') liveStatus.set('paused');
        },
        onOnline: () => {
          if (tabs?.isLeading() === true) connection.open();
        },
      });
      return () => {
        stop();
        leave();
        // Another session may follow.
        hasStarted = false;
        hadGap = false;
        lastEventId = undefined;
        deliveredIds.clear();
        // The next start begins in this state, so that waiting components notice when the stream opens.
        liveStatus.set('connecting');
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
