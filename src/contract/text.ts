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
