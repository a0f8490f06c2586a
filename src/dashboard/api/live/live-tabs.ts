import { randomUuid } from '../random-uuid.ts';

/** How long a tab waits for a leader before it becomes one. */
const ELECTION_MS = 100;
const HEARTBEAT_MS = 2_000;
/** A leader without a message for longer was closed or frozen. */
const SILENT_MS = 6_000;

type Wire<M> = { from: string; sinceMs: number } & (
  | { kind: 'ask' }
  | { kind: 'lead' }
  | { kind: 'leave' }
  | { kind: 'message'; message: M }
);

type Handlers<M> = {
  onLead: () => void;
  /** Another tab is the leader, possibly a new one. */
  onFollow: () => void;
  /** The leader is gone, and the next one is not elected yet. */
  onLost: () => void;
  /** `isLeader`: the sender is the leader. */
  onMessage: (message: M, from: string, isLeader: boolean) => void;
  onLeft: (from: string) => void;
  /** Called every two seconds, in the leader and in its followers. */
  onHeartbeat: () => void;
};

export type Tabs<M> = {
  send: (message: M) => void;
  isLeading: () => boolean;
  leave: () => void;
};

/**
 * Elects one tab of this browser as the leader. A leader stays the leader; without one, the first tab whose request
 * gets no reply becomes it. Of two leaders, the later one follows. (Web Locks exist on HTTPS and localhost only.)
 */
export const joinTabs = <M>(name: string, handlers: Handlers<M>): Tabs<M> => {
  if (typeof BroadcastChannel === 'undefined') {
    handlers.onLead();
    return { send: () => undefined, isLeading: () => true, leave: () => undefined };
  }
  const channel = new BroadcastChannel(name);
  const id = randomUuid();
  let leader: string | undefined;
  let sinceMs = Date.now();
  let leaderSeenMs = 0;
  let election: ReturnType<typeof setTimeout> | undefined;

  const post = (message: { kind: 'ask' | 'lead' | 'leave' } | { kind: 'message'; message: M }) =>
    channel.postMessage({ from: id, sinceMs, ...message } satisfies Wire<M>);

  const lead = () => {
    leader = id;
    sinceMs = Date.now();
    post({ kind: 'lead' });
    handlers.onLead();
  };

  /** Asks for the leader. The random wait keeps tabs that ask at the same time apart. */
  const elect = () => {
    leader = undefined;
    clearTimeout(election);
    election = setTimeout(lead, ELECTION_MS * (1 + Math.random()));
    post({ kind: 'ask' });
  };

  const follow = (other: string) => {
    leaderSeenMs = Date.now();
    clearTimeout(election);
    if (leader === other) return;
    leader = other;
    handlers.onFollow();
  };

  const isBefore = (other: Wire<M>) =>
    other.sinceMs < sinceMs || (other.sinceMs === sinceMs && other.from < id);

  channel.addEventListener('message', ({ data }: MessageEvent<Wire<M>>) => {
    if (data.kind === 'ask' && leader === id) post({ kind: 'lead' });
    else if (data.kind === 'lead') {
      if (leader !== id || isBefore(data)) follow(data.from);
      else post({ kind: 'lead' });
    } else if (data.kind === 'leave') {
      handlers.onLeft(data.from);
      if (data.from !== leader) return;
      handlers.onLost();
      elect();
    } else if (data.kind === 'message') {
      const isLeader = data.from === leader;
      if (isLeader) leaderSeenMs = Date.now();
      handlers.onMessage(data.message, data.from, isLeader);
    }
  });

  const heartbeat = setInterval(() => {
    if (leader === id) post({ kind: 'lead' });
    else if (leader !== undefined && Date.now() - leaderSeenMs > SILENT_MS) {
      handlers.onLost();
      elect();
    }
    handlers.onHeartbeat();
  }, HEARTBEAT_MS);

  elect();

  return {
    send: (message) => post({ kind: 'message', message }),
    isLeading: () => leader === id,
    leave: () => {
      clearTimeout(election);
      clearInterval(heartbeat);
      post({ kind: 'leave' });
      leader = undefined;
      channel.close();
    },
  };
};
