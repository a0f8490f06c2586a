import { useSyncExternalStore } from 'react';
import { useClock } from '../../ui/browser/clock.ts';
import { formatDuration } from '../../ui/format/format-duration.ts';
import { createListeners } from '../../ui/browser/listeners.ts';

/** `paused`: the tab is hidden. `offline`: several attempts failed. `forbidden`: the key has no read scope. */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'paused' | 'forbidden';
export type LiveStatus = { state: LiveState; lastContactMs: number | null };

const OFFLINE_AFTER_FAILURES = 3;

/** The state after so many failed attempts. */
export const stateAfterFailures = (failures: number): LiveState =>
  failures >= OFFLINE_AFTER_FAILURES ? 'offline' : 'reconnecting';

const { subscribe, notify } = createListeners();
let status: LiveStatus = { state: 'connecting', lastContactMs: null };

/** The state of this tab's stream. Separate from the stream, whose code loads after the first page. */
export const liveStatus = {
  get: () => status,
  set: (state: LiveState) => {
    if (state === status.state) return;
    status = { ...status, state };
    notify();
  },
  /** Notes the time at which data arrived. */
  recordContact: (atMs = Date.now()) => {
    // Readers of the age render every second, so they need no notification.
    status.lastContactMs = atMs;
  },
  /** Notes when the first page loads: until the stream opens, its data is of that time. */
  recordLoad: () => {
    status.lastContactMs ??= Date.now();
  },
  subscribe,
};

export const useLiveStatus = (): LiveStatus => useSyncExternalStore(liveStatus.subscribe, liveStatus.get);

/** How old the data on the page is while the stream is broken: “23 s”. Empty while it is not, and before the first data. */
export const useDataAge = (): string => {
  const { state, lastContactMs } = useLiveStatus();
  const age = useClock(() =>
    lastContactMs === null ? '' : formatDuration(Math.max(0, Date.now() - lastContactMs)),
  );
  return state === 'reconnecting' || state === 'offline' ? age : '';
};
