import type { Page } from '@playwright/test';

/** Calls the API with the session of a page. */
export const callAs = async <T>(page: Page, method: string, path: string, body?: unknown): Promise<T> => {
  const { token, baseUrl } = await page.evaluate(
    () => JSON.parse(localStorage.getItem('penstock.session') ?? '{}') as { token: string; baseUrl: string },
  );
  return callWith<T>(baseUrl, token, method, path, body);
};

/** Calls the API with a token. Sends a string without encoding it as JSON. */
export const callWith = async <T>(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined
        ? {}
        : { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, ...(text === '' ? {} : JSON.parse(text)) } as T;
};
