/** Resolves in a later iteration of the event loop. */
export const nextIteration = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/**
 * Gives each caller an iteration of the event loop of its own: what arrives together and takes long is done one after
 * another, with everything else in between.
 */
export const createTurns = (): (() => Promise<void>) => {
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

/** How long one part of a longer task may hold the event loop, in ms. */
const PART_MS = 8;

/**
 * Pauses a long task where its last part took too long: to be awaited between two steps that are short by themselves.
 */
export const createPauses = (): (() => Promise<void>) => {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < PART_MS) return;
    await nextIteration();
    startedAt = performance.now();
  };
};
