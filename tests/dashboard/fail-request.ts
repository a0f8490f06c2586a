import { onTestFinished, vi } from 'vitest';

/** The next request that matches fails with status 500. Others are sent. */
export const failNextRequest = (matches: (url: URL) => boolean) => {
  const send = fetch;
  let hasFailed = false;
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (hasFailed || !matches(url)) return send(input, init);
    hasFailed = true;
    return new Response('', { status: 500 });
  });
  onTestFinished(() => fetched.mockRestore());
};
