import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLiveWindow } from '#dashboard/charts/live/live-window.ts';
import { seriesId } from '#dashboard/charts/series/series.ts';

const MINUTE = 60_000;
const frame = (ts: number[], value: (number | boolean | string)[], metric = 'temperature') => ({
  series: [{ device: 'dev_1', metric, ts, value }],
});

describe('a live window', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.UTC(2026, 10, 21, 12) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('moves in steps, and only then changes its span', () => {
    const live = createLiveWindow({ windowMs: 10 * MINUTE });
    live.subscribe(() => undefined);
    const before = live.span();
    vi.advanceTimersByTime(4_000);
    expect(live.span()).toBe(before);
    vi.advanceTimersByTime(2_000);
    expect(live.span()).not.toBe(before);
    expect(live.span().toMs - before.toMs).toBe(5_000);
    expect(live.span().fromMs - before.fromMs).toBe(5_000);
  });

  it.each([1, 15, 60, 24 * 60, 30 * 24 * 60])(
    'of %i minutes has its whole range up to now, and no end that is seen to be empty',
    (minutes) => {
      const windowMs = minutes * MINUTE;
      const live = createLiveWindow({ windowMs });
      live.subscribe(() => undefined);
      for (let moments = 0; moments < 50; moments += 1) {
        const { fromMs, toMs } = live.span();
        expect(fromMs).toBeLessThanOrEqual(Date.now() - windowMs);
        expect(toMs).toBeGreaterThanOrEqual(Date.now());
        const most = Math.max(windowMs / 1_000, Math.min(5_000, windowMs / 100));
        expect(toMs - Date.now()).toBeLessThanOrEqual(most);
        expect(toMs - fromMs).toBeLessThanOrEqual(windowMs + most);
        vi.advanceTimersByTime(windowMs / 777);
      }
    },
  );

  it('notifies listeners of frames and steps until they unsubscribe', () => {
    const live = createLiveWindow({ windowMs: 10 * MINUTE });
    const listener = vi.fn<() => void>();
    const stop = live.subscribe(listener);
    live.append(frame([Date.now()], [21]));
    expect(listener).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(6_000);
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    live.append(frame([Date.now()], [22]));
    vi.advanceTimersByTime(60_000);
    expect(listener).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('keeps numbers and states apart, by device and metric', () => {
    const live = createLiveWindow({ windowMs: 10 * MINUTE });
    const now = Date.now();
    live.append(frame([now - 1, now], [1, 2]));
    live.append(frame([now], [true], 'door'));
    expect(live.numbers(seriesId('dev_1', 'temperature'))?.raw.length).toBe(2);
    expect(live.states(seriesId('dev_1', 'door'))?.runs).toEqual([{ from: now, to: now, value: true }]);
    expect(live.numbers('dev_1/door')).toBeUndefined();
  });

  it('counts all samples of a state in the window', () => {
    const live = createLiveWindow({ windowMs: 10 * MINUTE });
    const now = Date.now();
    const ts = Array.from({ length: 1_000 }, (_, n) => now - 1_000 + n);
    live.append(
      frame(
        ts,
        ts.map(() => true),
        'door',
      ),
    );
    const count = (afterMs: number) => live.states(seriesId('dev_1', 'door'))?.countIn(live.span(), afterMs);
    expect(count(-Infinity)).toBe(1_000);
    expect(count(now - 11)).toBe(10);
  });

  it('follows a clock slightly ahead, but not one far ahead', () => {
    const live = createLiveWindow({ windowMs: 10 * MINUTE });
    live.append(frame([Date.now() + 20_000], [1]));
    expect(live.span().toMs).toBeGreaterThanOrEqual(Date.now() + 20_000);
    live.append(frame([Date.now() + 9 * MINUTE], [1]));
    expect(live.span().toMs).toBeLessThan(Date.now() + MINUTE);
  });

  it('drops samples that have left it', () => {
    const live = createLiveWindow({ windowMs: MINUTE });
    live.subscribe(() => undefined);
    live.append(frame([Date.now()], [1]));
    vi.advanceTimersByTime(3 * MINUTE);
    expect(live.numbers('dev_1/temperature')?.raw.length).toBe(0);
    live.append(frame([Date.now()], [2]));
    live.clear();
    expect(live.numbers('dev_1/temperature')).toBeUndefined();
  });
});
