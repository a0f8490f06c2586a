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
