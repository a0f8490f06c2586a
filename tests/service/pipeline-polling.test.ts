import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPolling } from '#service/pipelines/sources/poller.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const poll = (
  takesMs: (count: number) => number,
  { mayPoll = () => true, pausedMs = () => 0 }: { mayPoll?: () => boolean; pausedMs?: () => number } = {},
) => {
  const began: number[] = [];
  const results: string[] = [];
  const polling = startPolling({
    intervalMs: 1_000,
    mayPoll,
    pausedMs,
    poll: async () => {
      const count = began.push(performance.now());
      const ms = takesMs(count);
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      if (ms < 0) throw new Error('nothing there');
    },
    onPolled: () => results.push('polled'),
    onFailed: (error) => results.push(String(error)),
  });
  return { began, results, polling, from: performance.now() };
};

test('the first poll is immediate, and the others start at whole intervals', async () => {
  const { began, from, polling } = poll((count) => 100 + count * 37);
  await vi.advanceTimersByTimeAsync(10_500);
  expect(began.map((at) => Math.round(at - from))).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((s) => s * 1_000),
  );
  await Promise.all([polling.close(), vi.advanceTimersByTimeAsync(1_000)]);
});

test('polls never overlap, and missed intervals are skipped', async () => {
  const { began, from, polling } = poll((count) => (count === 2 ? 2_500 : 0));
  await vi.advanceTimersByTimeAsync(6_000);
  expect(began.map((at) => Math.round((at - from) / 1_000))).toEqual([0, 1, 4, 5, 6]);
  await polling.close();
});

test('a failed poll is reported, and the next one follows', async () => {
  const { results, polling } = poll((count) => (count === 1 ? -1 : 0));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(results).toEqual(['Error: nothing there', 'polled']);
  await polling.close();
});

test('a poll that fails after the process did not run is repeated once, before it is reported', async () => {
  let paused = 0;
  const failing = (count: number) => {
    paused += count === 3 ? 0 : 80_000;
    return count === 2 ? 0 : -1;
  };
  const { began, results, from, polling } = poll(failing, { pausedMs: () => paused });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(began.map((at) => Math.round((at - from) / 1_000))).toEqual([0, 0, 1, 2, 2]);
  expect(results).toEqual(['polled', 'Error: nothing there', 'Error: nothing there']);
  await polling.close();
});

test('closing waits for the running poll and starts no other', async () => {
  const { began, results, polling } = poll(() => 300);
  const closed = polling.close();
  expect(results).toEqual([]);
  await vi.advanceTimersByTimeAsync(300);
  await closed;
  expect(results).toEqual(['polled']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(began).toHaveLength(1);
});

test('while another process may poll, polls are skipped', async () => {
  let mayPoll = false;
  const { began, results, polling } = poll(() => 0, { mayPoll: () => mayPoll });
  await vi.advanceTimersByTimeAsync(2_500);
  expect([began, results]).toEqual([[], []]);
  mayPoll = true;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(results).toEqual(['polled']);
  await polling.close();
});
