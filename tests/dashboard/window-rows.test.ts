import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useDrawnRows, useWindowRows } from '#dashboard/ui/table/window-rows.ts';

test('rows are visible as soon as what was above the table is gone', async () => {
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
  await waitFor(() => expect(result.current.last).toBe(visibleBelow(400)));
  topPx = 100;
  resized();
  await waitFor(() => expect(result.current.last).toBe(visibleBelow(100)));
});

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
const list = range(0, 99).map((number) => `device-${number}`);

/** Draws rows of a list. The returned function scrolls to others, or shows another list, and returns the rows and their elements. */
const drawRows = (from: number, to: number) => {
  const { result, rerender } = renderHook(
    ({ ids, indexes }: { ids: string[]; indexes: number[] }) => useDrawnRows(ids, indexes),
    { initialProps: { ids: list, indexes: range(from, to) } },
  );
  const draw = (indexes: number[], ids = list) => {
    rerender({ ids, indexes });
    return result.current;
  };
  return { result, draw };
};
const keysOf = (rows: readonly { key: number }[]) => rows.map(({ key }) => key);
const indexesOf = (rows: readonly { index: number }[]) => rows.map(({ index }) => index);

test('rows that scroll into view take the elements of those that leave, and are put in order when they rest', async () => {
  const { result, draw } = drawRows(0, 19);
  const elements = keysOf(result.current);
  const scrolled = draw(range(12, 31));
  expect(keysOf(scrolled)).toEqual(elements);
  expect(indexesOf(scrolled)).toEqual([...range(20, 31), ...range(12, 19)]);
  await waitFor(() => expect(indexesOf(result.current)).toEqual(range(12, 31)));
  expect(keysOf(result.current).toSorted((a, b) => a - b)).toEqual(elements);
  expect(result.current.every(({ id, index }) => id === list[index])).toBe(true);
});

test('rows of another list take the elements at their places', () => {
  const { result, draw } = drawRows(0, 9);
  const elements = keysOf(result.current);
  const found = list.slice(50);
  expect(draw(range(0, 9), found)).toEqual(elements.map((key, index) => ({ id: found[index], index, key })));
});

test('a new row of the same list gets a new element at its place', () => {
  const { result, draw } = drawRows(0, 9);
  const elements = keysOf(result.current);
  const [first, ...others] = draw(range(0, 9), ['device-new', ...list]);
  expect(first).toMatchObject({ id: 'device-new', index: 0 });
  expect(elements).not.toContain(first?.key);
  expect(keysOf(others)).toEqual(elements.slice(0, 9));
});

test('while a row has the focus, rows that scroll into view get new elements at their places', () => {
  const { result, draw } = drawRows(0, 9);
  const elements = keysOf(result.current);
  const row = document.createElement('a');
  row.href = '#';
  row.dataset['index'] = '4';
  document.body.append(row);
  onTestFinished(() => row.remove());
  row.focus();
  const scrolled = draw(range(4, 13));
  expect(indexesOf(scrolled)).toEqual(range(4, 13));
  expect(keysOf(scrolled).slice(0, 6)).toEqual(elements.slice(4));
  expect(
    keysOf(scrolled)
      .slice(6)
      .some((key) => elements.includes(key)),
  ).toBe(false);
});

test('a scroll draws the visible rows at once, and those beyond the edges a few in each frame', async () => {
  const body = document.createElement('div');
  let topPx = -3_600;
  body.getBoundingClientRect = () => new DOMRect(0, topPx);
  const drawn: { from: number; to: number; first: number; last: number }[] = [];
  const { rerender } = renderHook(
    ({ listKey }) => {
      const rows = useWindowRows({ current: body }, { count: 1_000, rowPx: 36, listKey });
      drawn.push(rows);
      return rows;
    },
    { initialProps: { listKey: 'all' } },
  );
  const latest = () => drawn.at(-1) ?? { from: 0, to: 0, first: 0, last: 0 };
  act(() => void window.dispatchEvent(new Event('scroll')));
  await waitFor(() => expect(latest()).toMatchObject({ first: 100, from: 94, to: latest().last + 6 }));

  drawn.length = 0;
  topPx -= 36 * 8;
  act(() => void window.dispatchEvent(new Event('scroll')));
  await waitFor(() => expect(latest()).toMatchObject({ first: 108, from: 102 }));
  const starts = drawn.filter(({ first }) => first === 108).map(({ from }) => from);
  expect([...new Set(starts)]).toEqual([99, 102]);

  drawn.length = 0;
  rerender({ listKey: 'found' });
  expect(drawn[0]).toMatchObject({ from: 108, to: latest().last });
  await waitFor(() => expect(latest()).toMatchObject({ from: 102, to: latest().last + 6 }));
});
