import { expect, test } from 'vitest';
import { containsWords, searchWords } from '#contract/search-words.ts';

test('a search is its words, folded, with a quoted text as one word', () => {
  expect(searchWords('  Pump LYON\tpump ')).toEqual(['pump', 'lyon']);
  expect(searchWords('"Feed  pump" Lyon')).toEqual(['feed  pump', 'lyon']);
  expect(searchWords('19" rack')).toEqual(['19"', 'rack']);
  expect(searchWords('“Feed pump” lyon')).toEqual(['feed pump', 'lyon']);
  expect(searchWords('"" "')).toEqual([]);
  expect(searchWords(' ')).toEqual([]);
});

test('a quoted text is one word while it is typed too', () => {
  expect(searchWords('lyon "')).toEqual(['lyon']);
  expect(searchWords('lyon "feed p')).toEqual(['lyon', 'feed p']);
});

test('a number or a single character belongs to the word before it', () => {
  expect(searchWords('lyon pump  12')).toEqual(['lyon', 'pump 12']);
  expect(searchWords('pump 12 lyon')).toEqual(['pump 12', 'lyon']);
  expect(searchWords('VAV 3-12 B hall of 7')).toEqual(['vav 3-12 b', 'hall', 'of 7']);
  expect(searchWords('12 lyon 😀')).toEqual(['12', 'lyon 😀']);
  expect(searchWords('hall 12b duct 0024be')).toEqual(['hall 12b', 'duct', '0024be']);
  expect(searchWords('"feed pump" 12')).toEqual(['feed pump', '12']);
});

test('a text contains a search if it contains all of its words', () => {
  expect(containsWords('Feed pump 12\nlyon-7', 'LYON pump')).toBe(true);
  expect(containsWords('Feed pump 12\nlyon-7', 'pump 7')).toBe(false);
  expect(containsWords('Feed pump', '')).toBe(true);
});
