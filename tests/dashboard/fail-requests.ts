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
