import { setTimeout as delay } from 'node:timers/promises';

/** Resolves in a later iteration of the event loop. */
export const nextIteration = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * Resolves one caller per iteration of the event loop, so that long tasks that arrive together run one after another,
 * with other work in between.
 */
export const createIterationQueue = (): (() => Promise<void>) => {
  const waiting: (() => void)[] = [];
  const serve = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(serve);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(serve);
    });
};

/** How long a task may block the event loop before it yields, in ms. */
const MAX_BLOCK_MS = 8;

/** Returns a function for a long task to await between its short steps. It yields to the event loop when needed. */
export const createYield = (): (() => Promise<void>) => {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < MAX_BLOCK_MS) return;
    await nextIteration();
    startedAt = performance.now();
  };
};

const MAX_PAUSE_MS = 20;

const computedMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/**
 * Returns a function for a long task to await between its steps. It waits for as long as the main thread computed since
 * the last time, so that the task takes at most half of the main thread.
 */
export const createPause = (): (() => Promise<void>) => {
  let startedAt = computedMs();
  return async () => {
    await delay(Math.min(computedMs() - startedAt, MAX_PAUSE_MS));
    startedAt = computedMs();
  };
};
