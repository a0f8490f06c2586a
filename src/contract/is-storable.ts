/** True for text that every database can store unchanged: no NUL and no unpaired surrogates. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
