/**
 * Sends one after another, with at most so many that are not acknowledged yet. The first that fails ends it: what
 * follows is not sent.
 */
export const sendInOrder = async <T>(
  items: readonly T[],
  atOnce: number,
  send: (item: T, index: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> => {
  const rest = items.entries();
  let hasFailed = false;
  /** Each takes what is next as soon as its last one is acknowledged. */
  const lane = async () => {
    for (const [index, item] of rest) {
      signal.throwIfAborted();
      if (hasFailed) return;
      try {
        await send(item, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane));
};
