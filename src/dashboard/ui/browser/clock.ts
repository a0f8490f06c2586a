import { useSyncExternalStore } from 'react';
import { createListeners } from './listeners.ts';

/** How far the service's clock is ahead of this computer's. Ages use the service's clock. */
let aheadMs = 0;

/** Reads the `Date` header of a response. It has whole seconds, so small differences are ignored. */
export const recordServerTime = (date: string | null) => {
  if (date === null) return;
  const difference = Date.parse(date) + 500 - Date.now();
  if (Number.isFinite(difference)) aheadMs = Math.abs(difference) > 3_000 ? difference : 0;
};

/** Now, in epoch ms, by the service's clock. */
export const nowMs = (): number => Date.now() + aheadMs;

const { subscribe, notify, isEmpty } = createListeners();
let timer: ReturnType<typeof setInterval> | undefined;

const tick = () => {
  if (!document.hidden) notify();
};

/** Calls back each second while the page is visible, and when it becomes visible. */
const everySecond = (listener: () => void): (() => void) => {
  const unsubscribe = subscribe(listener);
  if (timer === undefined) {
    timer = setInterval(tick, 1_000);
    document.addEventListener('visibilitychange', tick);
  }
  return () => {
    unsubscribe();
    if (!isEmpty()) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', tick);
  };
};

/** A value derived from the clock. Renders only when the value changes. `read` must return a primitive. */
export const useClock = <T extends string | number | boolean | null>(read: (nowMs: number) => T): T =>
  useSyncExternalStore(everySecond, () => read(nowMs()));
