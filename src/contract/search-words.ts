import { foldCase } from './fold-case.ts';

/**
 * The words of a search, folded. What is found contains all of them, in any order. A text in double quotes is one word,
 * with its spaces.
 */
export const searchWords = (text: string): string[] => [
  ...new Set([...foldCase(text).matchAll(/"([^"]+)"|\S+/g)].map(([word, quoted = word]) => quoted)),
];

/** Whether a text contains all words of a search. */
export const containsWords = (text: string, search: string): boolean => {
  const folded = foldCase(text);
  return searchWords(search).every((word) => folded.includes(word));
};
