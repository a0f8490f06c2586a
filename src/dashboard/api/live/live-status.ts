import { useSyncExternalStore } from 'react';

/** `paused`: the tab is hidden. `offline`: several attempts failed. `forbidden`: the key has no read scope. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'paused' | 'forbidden';
export type LiveStatus = { state: LiveState; lastContactMs: number | null };

const listeners = new Set<() => void>();
let status: LiveStatus = { state: 'connecting', lastContactMs: null };

/** The state of this tab's stream. Separate from the stream, whose code loads after the first page. */
export const liveStatus = {
  get: () => status,
  set: (state: LiveState) => {
    if (state === status.state) return;
    status = { ...status, state };
    for (const listener of listeners) listener();
  },
  /** Notes the time at which data arrived. */
  recordContact: (atMs = Date.now()) => {
    // Readers of the age render every second, so they need no notification.
    status.lastContactMs = atMs;
  },
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveStatus.subscribe, liveStatus.get);
