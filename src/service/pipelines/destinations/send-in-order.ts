/**
 * Sends items in order, with a limited number of unacknowledged items. Stops at the first failure.
 */
export const sendInOrder = async <T>(
  items: readonly T[],
  atOnce: number,
  send: (item: T, index: number) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> => {
  const rest = items.entries();
  let hasFailed = false;
  /** Sends the next item as soon as the previous one of this worker is acknowledged. */
  const worker = async () => {
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
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
};
