import { isReferable, isReference, MASK, referencesIn } from '#contract/connection-fields.ts';

/** A part of an address as it was before it was escaped; where a % begins no escape it is what it says. */
export const decodedPart = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The password of an address, as it is meant; undefined: it has none. */
export const passwordOf = (text: string): string | undefined => {
  const password = URL.canParse(text) ? new URL(text).password : '';
  return password === '' ? undefined : decodedPart(password);
};

/** An address with another password, percent-encoded; a mask and a reference stay as they can be read. */
export const withPassword = (text: string, password: string): string => {
  const url = new URL(text);
  if (!isReference(password) || !referencesIn(password).every(isReferable)) {
    url.password = encodeURIComponent(password);
    return url.href;
  }
  url.password = MASK;
  return url.href.replace(`:${MASK}@`, () => `:${password}@`);
};
