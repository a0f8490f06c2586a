import { SHOWN_CHARACTERS, shorten } from '../../platform/shorten.ts';

/** As `line` of the contract: characters that hide or reorder the text around them. JSON escapes those below U+0020. */
const HIDING = /[\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

const escaped = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(shorten(value, SHOWN_CHARACTERS)).replaceAll(HIDING, escaped);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' || typeof value === 'boolean' || value === null
    ? String(value)
    : 'an object';
};

/** The detail of a rejection, with what was received instead of an accepted value. `detail`: a full sentence. */
export const describeReceived = (detail: string, value: unknown): string =>
  value === undefined ? detail : `${detail} Received ${textOf(value)}.`;
