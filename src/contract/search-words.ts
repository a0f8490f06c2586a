import { foldCase } from './fold-case.ts';

/** A quoted text, or a word with the numbers and single characters that follow it. */
const WORD = /"([^"]+)"|\S+(?:\s+(?:\d\S*|\S(?!\S)))*/gu;

/**
 * The words of a search, folded. What is found contains all of them, in any order. A number or a single character belongs
 * to the word before it: `pump 12` is one word. So is a text in double quotes.
 */
export const searchWords = (text: string): string[] => [
  ...new Set(
    [...foldCase(text).matchAll(WORD)].map(([word, quoted]) => quoted ?? word.replaceAll(/\s+/g, ' ')),
  ),
];

/** Whether a text contains all words of a search. */
export const containsWords = (text: string, search: string): boolean => {
  const folded = foldCase(text);
  return searchWords(search).every((word) => folded.includes(word));
};
