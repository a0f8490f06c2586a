/**
 * Measures the event loop of the process that loads this module (`node --import`), and answers each message with the
 * stalls since the previous message. A stall is measured in CPU time, so other programs on the machine cause none.
 */
export type StallReport = {
  /** The longest time that the main thread computed without running its timers, in ms of CPU time. */
  readonly longestMs: number;
  /** The same in wall-clock time, including waits for disks and other processes. */
  readonly longestWallMs: number;
  /** The largest resident set, in bytes. */
  readonly rssBytes: number;
};

const TICK_MS = 5;
const TICKS_PER_RSS = 10;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let last = { atMs: performance.now(), cpuMs: cpuMs() };
let seen = { longestMs: 0, longestWallMs: 0, rssBytes: 0 };
let ticks = 0;

setInterval(() => {
  const now = { atMs: performance.now(), cpuMs: cpuMs() };
  const wallMs = Math.max(0, now.atMs - last.atMs - TICK_MS);
  ticks += 1;
  seen = {
    longestMs: Math.max(seen.longestMs, Math.min(wallMs, now.cpuMs - last.cpuMs)),
    longestWallMs: Math.max(seen.longestWallMs, wallMs),
    rssBytes:
      ticks % TICKS_PER_RSS === 0 ? Math.max(seen.rssBytes, process.memoryUsage.rss()) : seen.rssBytes,
  };
  last = now;
}, TICK_MS).unref();

process.on('message', () => {
  process.send?.({
    ...seen,
    rssBytes: Math.max(seen.rssBytes, process.memoryUsage.rss()),
  } satisfies StallReport);
  seen = { longestMs: 0, longestWallMs: 0, rssBytes: 0 };
});
process.channel?.unref();
