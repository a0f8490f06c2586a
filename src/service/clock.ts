/** A step of the wall clock. Times are epoch ms: the one that was due, and the one that the clock showed instead. */
export type ClockJump = { readonly fromMs: number; readonly toMs: number; readonly jumpMs: number };

export type Clock = {
  /** The wall clock, epoch ms. Reports a jump to all listeners before it returns the new time. */
  now(): number;
  /** Ms since an arbitrary start. Never jumps, and stands still while the machine sleeps. */
  elapsed(): number;
  /** False for an hour after a jump ahead: the time may be wrong, so nothing is deleted for its age. */
  isTrusted(): boolean;
  /**
   * The latest instant that samples can plausibly have: `aheadMs` from now. After the clock was set back it is now,
   * until the clock has caught up with the times that it showed before.
   */
  latestPlausible(aheadMs: number): number;
  /** Listeners run synchronously, in the order in which they were added. */
  onJump(listener: (jump: ClockJump) => void): void;
  /** The process did not run for `pausedMs` (stopped by a signal, or a blocked event loop). Runs synchronously too. */
  onPause(listener: (pausedMs: number) => void): void;
  close(): void;
};

/** A wall clock that departs further than this from the monotonic one within a minute has jumped. NTP slews by less. */
export const JUMP_MS = 5_000;
const COMPARED_OVER_MS = 60_000;
const DISTRUSTED_FOR_MS = 3_600_000;
/** The clock is read every second: a process that has not read it for so long did not run. */
const PAUSE_MS = 10_000;

/**
 * Watches the wall clock by the monotonic one. A machine that was suspended looks like a clock that was set ahead:
 * `CLOCK_MONOTONIC` stands still meanwhile.
 */
export const createClock = ({
  now: readWall,
  elapsed,
  checkEveryMs,
}: {
  now: () => number;
  elapsed: () => number;
  /** How often the clock is read where nobody asks for the time. */
  checkEveryMs: number;
}): Clock => {
  const jumpListeners: ((jump: ClockJump) => void)[] = [];
  const pauseListeners: ((pausedMs: number) => void)[] = [];
  let readAtMs = performance.now();
  let reference = { wallMs: readWall(), elapsedMs: elapsed() };
  let distrustedUntilMs = Number.NEGATIVE_INFINITY;
  let catchesUpAtMs = Number.NEGATIVE_INFINITY;

  const notePause = (): void => {
    const pausedMs = performance.now() - readAtMs;
    readAtMs += pausedMs;
    if (pausedMs >= PAUSE_MS) for (const listener of pauseListeners) listener(Math.round(pausedMs));
  };

  const now = (): number => {
    notePause();
    const [wallMs, elapsedMs] = [readWall(), elapsed()];
    const dueMs = Math.round(reference.wallMs + elapsedMs - reference.elapsedMs);
    const jumpMs = Math.round(wallMs - dueMs);
    if (Math.abs(jumpMs) >= JUMP_MS) {
      reference = { wallMs, elapsedMs };
      if (jumpMs > 0) distrustedUntilMs = elapsedMs + DISTRUSTED_FOR_MS;
      else catchesUpAtMs = Math.max(catchesUpAtMs, dueMs);
      for (const listener of jumpListeners) listener({ fromMs: dueMs, toMs: dueMs + jumpMs, jumpMs });
    } else if (elapsedMs - reference.elapsedMs >= COMPARED_OVER_MS) reference = { wallMs, elapsedMs };
    return wallMs;
  };
  const timer = setInterval(now, checkEveryMs).unref();

  return {
    now,
    elapsed,
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
