import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useRef } from 'react';
import { expect, test } from 'vitest';
import { useLateFocus } from '#dashboard/kit/resource/drawer-form.tsx';

const Fields = () => {
  const first = useRef<HTMLInputElement>(null);
  useLateFocus(first);
  return (
    <>
      <input ref={first} aria-label="Name" />
      <input aria-label="Tag" />
    </>
  );
};

/** A dialog whose fields have loaded before it focused anything. */
const open = () => {
  render(
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as overlays render it
    <div role="dialog" tabIndex={-1}>
      <Fields />
    </div>,
  );
  return userEvent.setup();
};
const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });

test('a field that loads while its dialog opens gets the focus of the dialog, once', () => {
  open();
  screen.getByRole('dialog').focus();
  expect(document.activeElement).toBe(field('Name'));
  field('Tag').focus();
  expect(document.activeElement).toBe(field('Tag'));
});

test('a field that users click before the dialog is focused keeps the focus and what they type', async () => {
  const user = open();
  await user.type(field('Tag'), 'rack');
  expect(document.activeElement).toBe(field('Tag'));
  expect(field('Tag').value).toBe('rack');
});
