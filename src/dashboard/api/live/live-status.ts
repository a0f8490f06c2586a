import { useSyncExternalStore } from 'react';

/** `paused`: the tab is hidden, nothing is asked. `offline`: several tries failed. `forbidden`: the key has no read scope. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'paused' | 'forbidden';
export type LiveStatus = { state: LiveState; lastContactMs: number | null };

const listeners = new Set<() => void>();
let status: LiveStatus = { state: 'connecting', lastContactMs: null };

/** How the stream of this tab does. Apart from the stream, whose code comes after the first page. */
export const liveStatus = {
  get: () => status,
  set: (state: LiveState) => {
    if (state === status.state) return;
    status = { ...status, state };
    for (const listener of listeners) listener();
  },
  /** Something came from the service. */
  recordContact: (atMs = Date.now()) => {
    // The age is read by the clock, second by second: nothing to tell.
    status.lastContactMs = atMs;
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveStatus.subscribe, liveStatus.get);
