import { foldCase } from './fold-case.ts';

/** A text in double quotes, whose end may be missing while it is typed. */
const QUOTED = String.raw`(?<!\S)"([^"]*)(?:"|$)`;
/** `12`, `3-12`, `12b` */
const NUMBER = String.raw`\d+(?:[.,:/-]\d+)*\p{L}?`;
const WORD = new RegExp(String.raw`${QUOTED}|\S+(?:\s+(?:${NUMBER}|[^\s"])(?!\S))*`, 'gu');

/**
 * The words of a search, folded. A match contains all words, in any order. A number or a single character belongs to the
 * word before it: `pump 12` is one word. So is a text in double quotes.
 */
export const searchWords = (search: string): string[] => {
  const found = foldCase(search).replaceAll(/[“”„]/g, '"').matchAll(WORD);
  const words = Array.from(found, ([word, quoted]) => quoted ?? word.replaceAll(/\s+/g, ' '));
  return [...new Set(words)].filter((word) => word !== '');
};

/** Whether a text contains all words of a search. */
export const containsWords = (text: string, search: string): boolean => {
  const folded = foldCase(text);
  return searchWords(search).every((word) => folded.includes(word));
};
