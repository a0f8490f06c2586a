/** A step of the wall clock, in epoch ms: `fromMs` is the time it should show, `toMs` the time it shows. */
export type ClockJump = { readonly fromMs: number; readonly toMs: number; readonly jumpMs: number };

export type Clock = {
  /** The wall clock, epoch ms. Reports a jump to all listeners before it returns the new time. */
  now(): number;
  /** Monotonic clock: ms since an arbitrary start. Stops while the machine sleeps. */
  elapsed(): number;
  /** How long the process did not run so far, in ms, while the monotonic clock went on. */
  pausedMs(): number;
  /** False for an hour after a jump ahead: the time may be wrong, so nothing is deleted because of its age. */
  isTrusted(): boolean;
  /**
   * The latest plausible timestamp of a sample, in epoch ms: `aheadMs` from now. After the clock is set back it is the
   * current time, until the clock catches up with the time that it showed before.
   */
  latestPlausible(aheadMs: number): number;
  /** Listeners run synchronously, in the order of registration. */
  onJump(listener: (jump: ClockJump) => void): void;
  /**
   * The process did not run for `pausedMs`, at least 10 s: it was stopped by a signal, or its event loop was blocked.
   * Synchronous too.
   */
  onPause(listener: (pausedMs: number) => void): void;
  close(): void;
};

/**
 * The wall clock has jumped if it differs from the monotonic clock by more than this within a minute. NTP slews by
 * less.
 */
export const JUMP_MS = 5_000;
const COMPARE_OVER_MS = 60_000;
const DISTRUST_FOR_MS = 3_600_000;
/** The clock is read every second. A process that has not read it for this long did not run. */
const PAUSE_MS = 2_000;
/** Shorter pauses are not reported to listeners, which write the times of all devices. */
const REPORTED_PAUSE_MS = 10_000;

/**
 * Compares the wall clock with the monotonic clock. A machine that was suspended looks like a clock that was set ahead,
 * because `CLOCK_MONOTONIC` stops meanwhile.
 */
export const createClock = ({
  now: readWall,
  elapsed,
  checkEveryMs,
}: {
  now: () => number;
  elapsed: () => number;
  /** How often the clock is read if nothing else reads it. */
  checkEveryMs: number;
}): Clock => {
  const jumpListeners: ((jump: ClockJump) => void)[] = [];
  const pauseListeners: ((pausedMs: number) => void)[] = [];
  let readAtMs = performance.now();
  let totalPausedMs = 0;
  let reference = { wallMs: readWall(), elapsedMs: elapsed() };
  let distrustedUntilMs = Number.NEGATIVE_INFINITY;
  let catchesUpAtMs = Number.NEGATIVE_INFINITY;

  const detectPause = (): void => {
    const pausedMs = performance.now() - readAtMs;
    readAtMs += pausedMs;
    if (pausedMs >= PAUSE_MS) totalPausedMs += pausedMs;
    if (pausedMs >= REPORTED_PAUSE_MS) for (const listener of pauseListeners) listener(Math.round(pausedMs));
  };

  const now = (): number => {
    detectPause();
    const [wallMs, elapsedMs] = [readWall(), elapsed()];
    const dueMs = Math.round(reference.wallMs + elapsedMs - reference.elapsedMs);
    const jumpMs = Math.round(wallMs - dueMs);
    if (Math.abs(jumpMs) >= JUMP_MS) {
      reference = { wallMs, elapsedMs };
      if (jumpMs > 0) distrustedUntilMs = elapsedMs + DISTRUST_FOR_MS;
      else catchesUpAtMs = Math.max(catchesUpAtMs, dueMs);
      for (const listener of jumpListeners) listener({ fromMs: dueMs, toMs: dueMs + jumpMs, jumpMs });
    } else if (elapsedMs - reference.elapsedMs >= COMPARE_OVER_MS) reference = { wallMs, elapsedMs };
    return wallMs;
  };
  const timer = setInterval(now, checkEveryMs).unref();

  return {
    now,
    elapsed,
    pausedMs: () => {
      detectPause();
      return totalPausedMs;
    },
    isTrusted: () => elapsed() >= distrustedUntilMs,
    latestPlausible: (aheadMs) => {
      const nowMs = now();
      return nowMs < catchesUpAtMs ? nowMs : nowMs + aheadMs;
    },
    onJump: (listener) => void jumpListeners.push(listener),
    onPause: (listener) => void pauseListeners.push(listener),
    close: () => clearInterval(timer),
  };
};
