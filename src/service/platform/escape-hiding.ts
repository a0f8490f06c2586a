import { HIDING } from '#contract/text-fields.ts';

const HIDING_CHARACTER = new RegExp(`[${HIDING}]`, 'g');

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Makes characters visible that reorder or hide the text around them, as JSON would escape them: `\u202e`. */
export const escapeHiding = (text: string): string => text.replaceAll(HIDING_CHARACTER, escaped);
