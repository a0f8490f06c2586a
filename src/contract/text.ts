import * as z from 'zod';

/**
 * Control characters and the invisible ones that reorder or hide text (Unicode bidi controls, TR9;
 * zero-width space and BOM): a name that looks like another name is a trap for the operator.
 */
const STORABLE_TEXT = /^[^\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]*$/u;
const STORABLE_LINES =
  /^[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]*$/u;

/** Half a character (a lone surrogate) has no form in UTF-8: it would be kept as another one. */
const WHOLE = 'Must not contain half of a character.';
const isWhole = (text: string): boolean => text.isWellFormed();

/** Text of a machine that can be kept as it came: NUL and half characters cannot, in every database. */
export const isStorable = (text: string): boolean => isWhole(text) && !text.includes('\0');

/** One line of text for people: trimmed, `min`–`max` characters, no control or bidi characters. */
export const line = (max: number, min = 0) => {
  const schema = z
    .string()
    .trim()
    .min(min, min === 1 ? 'Must not be empty.' : undefined)
    .max(max, `Must be at most ${max} characters.`)
    .refine(isWhole, WHOLE)
    .regex(STORABLE_TEXT, 'Must not contain control or direction-changing characters.');
  // What is blank is empty once it is trimmed: the document says so of the text as it is sent.
  return min === 0 ? schema : schema.meta({ pattern: `(?=.*\\S)${STORABLE_TEXT.source}` });
};

/** Text of several lines: as `line`, but tabs and line feeds are allowed. */
export const paragraph = (max: number) =>
  z
    .string()
    .max(max, `Must be at most ${max} characters.`)
    .refine(isWhole, WHOLE)
    .regex(STORABLE_LINES, 'Must not contain control or direction-changing characters.');

/** The form in which names are compared and searched: case folded by Unicode, NFC. */
export const foldCase = (text: string): string => text.normalize('NFC').toLowerCase();

/** A slug of a name: what stands in topics and URLs. Empty where the name has no usable character. */
export const slugOf = (name: string, max = 100): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._:]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, max);
