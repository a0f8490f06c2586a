import { useSyncExternalStore } from 'react';

/** How far the service's clock is ahead of this computer's; ages are told by the service's. */
let aheadMs = 0;

/** Takes the `Date` of an answer. It is whole seconds, so only a difference that matters counts. */
export const noteServerTime = (date: string | null) => {
  if (date === null) return;
  const difference = Date.parse(date) + 500 - Date.now();
  if (Number.isFinite(difference)) aheadMs = Math.abs(difference) > 3_000 ? difference : 0;
};

/** What to add to a time of this computer's clock to have the service's. */
export const clockAheadMs = (): number => aheadMs;

/** Now, in epoch ms, by the service's clock. */
export const nowMs = (): number => Date.now() + aheadMs;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

const tick = () => {
  if (!document.hidden) for (const listener of listeners) listener();
};

/** Calls back each second while the page is seen, and at once when it is seen again. */
const everySecond = (listener: () => void): (() => void) => {
  listeners.add(listener);
  if (timer === undefined) {
    timer = setInterval(tick, 1_000);
    document.addEventListener('visibilitychange', tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', tick);
  };
};

/** A reading of the clock; renders again only when what is read changes. `read` must answer a primitive. */
export const useClock = <T extends string | number | boolean | null>(read: (nowMs: number) => T): T =>
  useSyncExternalStore(everySecond, () => read(nowMs()));
