/** The form in which names are compared and searched: NFC, in lower case. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();
