/**
 * The text as every database can store it. NUL becomes `␀`, because PostgreSQL cannot store it
 * (https://www.postgresql.org/docs/current/datatype-character.html), and unpaired surrogates become `\ufffd`.
 */
export const storableText = (text: string): string => text.replaceAll('\0', '\u2400').toWellFormed();
