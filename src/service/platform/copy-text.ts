/** A copy of a part of a text, which would keep the whole text in memory. */
export const copyOf = (text: string): string => Buffer.from(text).toString();
