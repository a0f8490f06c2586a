import * as z from 'zod';

/**
 * In a class of a regular expression: control characters from U+007F on, and invisible characters that reorder or hide text
 * (Unicode bidi controls, TR9; zero-width space and BOM). With them, a name could pass for another name.
 */
export const HIDING = String.raw`\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`;

const STORABLE_TEXT = new RegExp(String.raw`^[^\u0000-\u001f${HIDING}]*$`, 'u');
const STORABLE_LINES = new RegExp(String.raw`^[^\u0000-\u0008\u000b-\u001f${HIDING}]*$`, 'u');

/** UTF-8 cannot encode a lone surrogate: it would be stored as another character. */
const WHOLE = 'Must not contain unpaired surrogates.';
const isWhole = (text: string): boolean => text.isWellFormed();

/** One line of text for people: trimmed, `min`–`max` characters, no control or bidi characters. */
export const line = (max: number, min = 0) => {
  const schema = z
    .string()
    .trim()
    .min(min, min === 1 ? 'Must not be empty.' : undefined)
    .max(max, `Must be at most ${max} characters.`)
    .refine(isWhole, WHOLE)
    .regex(STORABLE_TEXT, 'Must not contain control or direction-changing characters.');
  // Trimming empties a blank string, so the document requires a character that is not white space.
  return min === 0 ? schema : schema.meta({ pattern: `(?=.*\\S)${STORABLE_TEXT.source}` });
};

/** Text of several lines: like `line`, but tabs and line feeds are allowed. */
export const paragraph = (max: number) =>
  z
    .string()
    .max(max, `Must be at most ${max} characters.`)
    .refine(isWhole, WHOLE)
    .regex(STORABLE_LINES, 'Must not contain control or direction-changing characters.');
