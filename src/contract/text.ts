/** True for text that every database can store unchanged: no NUL and no unpaired surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The form in which names are compared and searched: NFC, in lower case. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();

/** The slug of a name, for topics and URLs. Empty if the name has no usable character. */
export const slugOf = (name: string, max = 100): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._:]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, max);

/**
 * A text whose byte order is the natural order of names, ignoring case: “Pump 9” before “Pump 102”. Each number is
 * preceded by the count of its digits. Names have at most 100 characters, so two digits hold the count.
 */
export const naturalKey = (name: string): string =>
  foldCase(name).replaceAll(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return String(Math.min(number.length, 99)).padStart(2, '0') + number;
  });
