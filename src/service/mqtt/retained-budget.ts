const MAX_TOPICS = 10_000;
const MAX_BYTES = 16 * 1_048_576;

/** Returns whether a message can be retained. Retained messages are in memory, so their number and size are limited. */
export const createRetainedBudget = (): ((topic: string, bytes: number) => boolean) => {
  const kept = new Map<string, number>();
  let total = 0;
  return (topic, bytes) => {
    const before = kept.get(topic);
    if (bytes === 0) {
      total -= before ?? 0;
      kept.delete(topic);
      return true;
    }
    const after = total - (before ?? 0) + bytes;
    if (after > MAX_BYTES || (before === undefined && kept.size >= MAX_TOPICS)) return false;
    total = after;
    kept.set(topic, bytes);
    return true;
  };
};
