import { act, renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useHeldValue } from '#dashboard/ui/browser/steady-order.ts';

test('a list stays as it is while the pointer or the focus is inside, and then shows what is new', () => {
  // A minute without input would end the hold.
  window.dispatchEvent(new Event('pointermove'));
  const { result, rerender } = renderHook(({ value }) => useHeldValue(value), {
    initialProps: { value: 'first' },
  });
  const { holders } = result.current;
  act(() => holders.onPointerEnter());
  rerender({ value: 'second' });
  expect(result.current.held).toBe('first');
  act(() => holders.onFocus());
  act(() => holders.onPointerLeave());
  rerender({ value: 'third' });
  expect(result.current.held).toBe('first');
  act(() => holders.onBlur());
  expect(result.current.held).toBe('third');
});
