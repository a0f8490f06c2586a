import { isReferable, isReference, MASK, referencesIn } from '#contract/connection-fields.ts';

/** Decodes a part of a URL. Keeps a % that does not begin an escape. */
export const decodedPart = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The decoded password of a URL; undefined: none. */
export const passwordOf = (text: string): string | undefined => {
  const password = URL.canParse(text) ? new URL(text).password : '';
  return password === '' ? undefined : decodedPart(password);
};

/** Replaces the password of a URL, percent-encoded. Masks and references stay readable. */
export const withPassword = (text: string, password: string): string => {
  const url = new URL(text);
  if (!isReference(password) || !referencesIn(password).every(isReferable)) {
    url.password = encodeURIComponent(password);
    return url.href;
  }
  url.password = MASK;
  return url.href.replace(`:${MASK}@`, () => `:${password}@`);
};
