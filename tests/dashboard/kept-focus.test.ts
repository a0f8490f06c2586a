import { renderHook } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, onTestFinished, test } from 'vitest';
import { useKeptFocus } from '#dashboard/ui/browser/kept-focus.ts';

/** Shows a button for each item. `keep` removes the buttons of all other items. */
const showButtons = (items: readonly string[]) => {
  const region = document.createElement('div');
  document.body.append(region);
  onTestFinished(() => region.remove());
  for (const item of items) region.append(Object.assign(document.createElement('button'), { name: item }));
  const button = (item: string) => region.querySelector<HTMLElement>(`[name=${item}]`)!;
  const { rerender } = renderHook((shown: string) => useKeptFocus({ current: region }, shown), {
    initialProps: items.join(' '),
  });
  const keep = (...kept: string[]) => {
    for (const item of items) if (!kept.includes(item)) button(item)?.remove();
    rerender(kept.join(' '));
  };
  return { button, keep };
};

test('the control in the place of a removed one gets the focus', () => {
  const { button, keep } = showButtons(['a', 'b', 'c']);
  button('b').focus();
  keep('a', 'c');
  expect(document.activeElement).toBe(button('c'));
  keep('a');
  expect(document.activeElement).toBe(button('a'));
});

test('a removed control that the user has left by a click beside it gives the focus to no other', async () => {
  const user = userEvent.setup();
  const { button, keep } = showButtons(['a', 'b', 'c']);
  button('b').focus();
  await user.click(document.body);
  keep('a', 'c');
  expect(document.activeElement).toBe(document.body);
});
