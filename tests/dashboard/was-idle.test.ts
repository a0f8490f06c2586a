import { renderHook } from '@testing-library/react';
import { unstable_IdlePriority, unstable_scheduleCallback } from 'scheduler';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { queryClient } from '#dashboard/api/query-client.ts';
import { useWasIdle } from '#dashboard/api/was-idle.ts';

/** Lets the time pass, and React render. */
const advance = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms);
  await new Promise<void>((resolve) => {
    unstable_scheduleCallback(unstable_IdlePriority, () => resolve());
  });
};

describe('parts that the first content does not need', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    queryClient.clear();
    vi.useRealTimers();
  });

  it('load after a second, if no response is awaited', async () => {
    const { result } = renderHook(useWasIdle);
    await advance(900);
    expect(result.current).toBe(false);
    await advance(200);
    expect(result.current).toBe(true);
  });

  it('wait for the responses that the first content needs', async () => {
    const { result } = renderHook(useWasIdle);
    const response = Promise.withResolvers<string>();
    void queryClient.prefetchQuery({ queryKey: ['first'], queryFn: () => response.promise });
    await advance(3_000);
    expect(result.current).toBe(false);
    response.resolve('rows');
    await advance(200);
    expect(result.current).toBe(true);
  });

  it('wait for 5 s more if a response does not arrive', async () => {
    const { result } = renderHook(useWasIdle);
    void queryClient.prefetchQuery({ queryKey: ['first'], queryFn: () => new Promise<string>(() => {}) });
    await advance(4_500);
    expect(result.current).toBe(false);
    await advance(1_500);
    expect(result.current).toBe(true);
  });
});
