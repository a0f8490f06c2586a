/** A copy of a part of a text. The part itself would keep the whole text in memory. */
export const detachText = (part: string): string => Buffer.from(part).toString();
