import { screen } from '@testing-library/react';
import { onTestFinished, vi } from 'vitest';

/** Answers the matching requests of the page with 500, until the returned function is called. */
export const failRequests = (matches: (url: URL) => boolean): (() => void) => {
  const send = fetch;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    return matches(url) ? new Response('', { status: 500 }) : send(input, init);
  });
  const end = () => {
    fetched.mockRestore();
  };
  onTestFinished(end);
  return end;
};

/**
 * Presses Try again, and ends failures with the press. The page also asks again by itself, which replaces the button: then
 * the new one is pressed.
 */
export const pressTryAgain = async (
  endFailures: () => void,
  press: (button: HTMLElement) => Promise<void>,
): Promise<void> => {
  const onClick = vi.fn(endFailures);
  document.addEventListener('click', onClick, { capture: true, once: true });
  while (onClick.mock.calls.length === 0)
    await press(await screen.findByRole('button', { name: 'Try again' }));
};
