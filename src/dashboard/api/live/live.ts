import type * as z from 'zod';
import { streamFrames, type StreamFrame, type StreamKind } from '#contract/stream.ts';
import { createConnection } from './live-connection.ts';
import { liveStatus, type LiveState } from './live-status.ts';
import { joinTabs, type Tabs } from './live-tabs.ts';
import { isGranted, mergeWishes, wishesOf, type Watch, type Wishes } from './live-wishes.ts';
import { session } from '../session.ts';

export type LiveHandlers = {
  onFrame: <K extends StreamKind>(kind: K, frame: StreamFrame<K>) => void;
  /** Something was missed: read again what is on screen. */
  onGap: () => void;
};

/** What tabs tell each other: those that follow what they wish for, the one that leads all that it hears. */
type Said =
  | { kind: 'wishes'; wishes: Wishes }
  | { kind: 'retry' }
  | { kind: 'state'; state: LiveState; heardMs: number | null; granted: Wishes | null }
  | { kind: 'frame'; name: string; data: string; id: string | undefined }
  | { kind: 'gap' };

const CLOSE_HIDDEN_AFTER_MS = 10_000;
/** A tab that says nothing for longer than this is gone. */
const TAB_GONE_AFTER_MS = 20_000;

const isKind = (name: string): name is StreamKind => Object.hasOwn(streamFrames, name);

/** The stream as one tab sees it: its own, or that of the visible tab of this browser that holds one for all. */
export const createLive = (handlers: LiveHandlers) => {
  const watches = new Set<Watch>();
  const opened = new WeakSet<Watch>();
  const others = new Map<string, { wishes: Wishes; atMs: number }>();
  let tabs: Tabs<Said> | undefined;
  let running = false;
  let lastEventId: string | undefined;
  /** Nobody listened for this tab since it last read: what passed must be read. */
  let hadGap = false;
  /** What the stream that is open asks for; null while none is. */
  let granted: Wishes | null = null;
  let hiding: ReturnType<typeof setTimeout> | undefined;

  const grant = (wishes: Wishes | null) => {
    granted = wishes;
    if (wishes === null) return;
    for (const watch of watches) {
      if (opened.has(watch) || !isGranted(wishes, watch)) continue;
      opened.add(watch);
      watch.onOpen?.();
    }
  };

  const missed = () => {
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
    // A frame of a newer service that is not understood: the next read tells.
    if (frame.success) handlers.onFrame(name, frame.data as StreamFrame<typeof name>);
  };

  const sayState = () => {
    const { state, lastContactMs } = liveStatus.get();
    tabs?.say({ kind: 'state', state, heardMs: lastContactMs, granted });
  };

  const connection = createConnection({
    wishes: () => mergeWishes([wishesOf(watches), ...[...others.values()].map(({ wishes }) => wishes)]),
    lastEventId: () => lastEventId,
    onOpen: (asked, isAgain) => {
      grant(asked);
      // States and ages are told only as they change: what passed while nobody listened must be read.
      if (isAgain) tabs?.say({ kind: 'gap' });
      if (isAgain || hadGap) missed();
      sayState();
    },
    onFrame: (name, data, id) => {
      tabs?.say({ kind: 'frame', name, data, id });
      deliver(name, data, id);
    },
    onBytes: () => liveStatus.heard(),
    onState: (state) => {
      if (state !== 'live') grant(null);
      liveStatus.set(state);
      sayState();
    },
  });

  const sayWishes = () => tabs?.say({ kind: 'wishes', wishes: wishesOf(watches) });

  const onSaid = (said: Said, from: string, isLeader: boolean) => {
    const isLeading = tabs?.isLeading() === true;
    if (said.kind === 'wishes') {
      // Known to all, so that whoever leads next asks for everything at once.
      const isNew = !others.has(from);
      others.set(from, { wishes: said.wishes, atMs: Date.now() });
      if (isLeading) connection.refresh();
      if (isLeading && isNew) sayState();
    } else if (isLeading) {
      if (said.kind === 'retry') connection.retryNow();
    } else if (!isLeader) return;
    else if (said.kind === 'frame') {
      liveStatus.heard();
      deliver(said.name, said.data, said.id);
    } else if (said.kind === 'gap') missed();
    else if (said.kind === 'state') {
      if (said.heardMs !== null) liveStatus.heard(said.heardMs);
      liveStatus.set(said.state);
      grant(said.granted);
      if (said.state === 'live' && hadGap) missed();
    }
  };

  const forgetSilent = () => {
    const oldest = Date.now() - TAB_GONE_AFTER_MS;
    for (const [id, { atMs }] of others) if (atMs < oldest) others.delete(id);
  };

  const join = () => {
    const current = session.get();
    if (!running || tabs !== undefined || current.status !== 'active') return;
    // Tabs of another session hear nothing of this one.
    tabs = joinTabs<Said>(`penstock.live.${current.stored.token.slice(-12)}`, {
      onLead: () => connection.open(),
      onFollow: () => {
        // It held a stream of its own: what the other one told before this is not known here.
        if (granted !== null) hadGap = true;
        connection.close();
        sayWishes();
      },
      onLost: () => {
        hadGap = true;
        granted = null;
      },
      onSaid,
      onLeft: (from) => {
        others.delete(from);
        if (tabs?.isLeading() === true) connection.refresh();
      },
      onBeat: () => {
        forgetSilent();
        if (tabs?.isLeading() === true) {
          sayState();
          connection.refresh();
        } else sayWishes();
      },
    });
  };

  const part = () => {
    tabs?.leave();
    tabs = undefined;
    others.clear();
    connection.close();
    granted = null;
  };

  const leaveWithGap = () => {
    part();
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
    else sayWishes();
  };

  return {
    start: () => {
      running = true;
      let token: string | undefined;
      document.addEventListener('visibilitychange', onVisibility);
      window.addEventListener('online', onOnline);
      // A page that Back brings to life again begins anew.
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
        part();
        // What begins anew begins with this, so that those who wait for the stream see it come.
        liveStatus.set('connecting');
        unsubscribe();
        document.removeEventListener('visibilitychange', onVisibility);
        window.removeEventListener('online', onOnline);
        window.removeEventListener('pagehide', leaveWithGap);
        window.removeEventListener('pageshow', onVisibility);
      };
    },
    /** Follows what `watch` names until the function that it answers is called. */
    watch: (watch: Watch) => {
      watches.add(watch);
      if (granted !== null && isGranted(granted, watch)) {
        // The stream that is open follows it already.
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
      else tabs?.say({ kind: 'retry' });
    },
  };
};
