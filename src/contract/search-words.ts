import { foldCase } from './fold-case.ts';

/** A text in double quotes, whose end may be missing while it is typed. */
const QUOTED = String.raw`(?<!\S)"([^"]*)(?:"|$)`;
/** `12`, `3-12`, `12b` */
const NUMBER = String.raw`\d+(?:[.,:/-]\d+)*\p{L}?`;
const WORD = new RegExp(String.raw`${QUOTED}|\S+(?:\s+(?:${NUMBER}|[^\s"])(?!\S))*`, 'gu');

/** What may be between a word and its number: `pump 12`, `pump-12`, `pump_12`, `pump12`. */
const SEPARATORS = [' ', '-', '_', ''];

/** The spellings of a word of a search, folded. The first is the one that was typed. */
export type SearchWord = readonly string[];

/**
 * The words of a search. A match contains all words, each in one of its spellings, in any order. A number or a single character
 * belongs to the word before it: `pump 12` is one word, and also finds `pump-12`. A text in double quotes is a word with one spelling.
 */
export const searchWords = (search: string): SearchWord[] => {
  const words = new Map<string, SearchWord>();
  for (const [word, quoted] of foldCase(search).replaceAll(/[“”„]/g, '"').matchAll(WORD)) {
    const typed = quoted ?? word.replaceAll(/\s+/g, ' ');
    const isQuoted = quoted !== undefined;
    // The same text in quotes is the stricter condition.
    if (typed === '' || (words.has(typed) && !isQuoted)) continue;
    const separators = typed.includes(' ') && !isQuoted ? SEPARATORS : [' '];
    words.set(
      typed,
      separators.map((separator) => typed.replaceAll(' ', separator)),
    );
  }
  return [...words.values()];
};

/** Whether a text contains all words of a search. */
export const containsWords = (text: string, search: string): boolean => {
  const folded = foldCase(text);
  return searchWords(search).every((word) => word.some((spelling) => folded.includes(spelling)));
};
