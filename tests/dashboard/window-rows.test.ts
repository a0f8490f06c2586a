import { act, renderHook } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useWindowRows } from '#dashboard/ui/table/window-rows.ts';

test('rows are visible as soon as what was above the table is gone', () => {
  const usual = globalThis.ResizeObserver;
  let resized = () => undefined as void;
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(update: () => void) {
        resized = update;
      }
      observe() {
        resized();
      }
      disconnect() {}
    },
  );
  onTestFinished(() => void vi.stubGlobal('ResizeObserver', usual));
  const body = document.createElement('div');
  let topPx = 400;
  body.getBoundingClientRect = () => new DOMRect(0, topPx);
  const { result } = renderHook(() =>
    useWindowRows({ current: body }, { count: 1_000, rowPx: 36, listKey: 'all' }),
  );
  const visibleBelow = (px: number) => Math.ceil((window.innerHeight - px) / 36);
  expect(result.current.last).toBe(visibleBelow(400));
  topPx = 100;
  act(resized);
  expect(result.current.last).toBe(visibleBelow(100));
});
