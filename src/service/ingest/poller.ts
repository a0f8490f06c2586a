/**
 * Polls at once and then every interval, without drift. The next poll begins only after the former ended; those
 * whose time passed meanwhile are left out.
 */
export const startPolling = ({
  intervalMs,
  poll,
  onPolled,
  onFailed,
}: {
  intervalMs: number;
  poll: () => Promise<void>;
  onPolled: () => void;
  onFailed: (error: unknown) => void;
}): { close(): Promise<void> } => {
  let dueAt = performance.now();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  const run = async () => {
    try {
      await poll();
      onPolled();
    } catch (error) {
      onFailed(error);
    }
    if (isClosed) return;
    const now = performance.now();
    dueAt += intervalMs * Math.max(1, Math.ceil((now - dueAt) / intervalMs));
    timer = setTimeout(() => {
      running = run();
    }, dueAt - now);
  };
  let running = run();

  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      return running;
    },
  };
};
