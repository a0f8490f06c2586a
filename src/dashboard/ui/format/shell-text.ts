/** `text` in single quotes, in which a POSIX shell changes nothing except a single quote. */
export const shellText = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
