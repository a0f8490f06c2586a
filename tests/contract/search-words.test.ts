import { expect, test } from 'vitest';
import { containsWords, searchWords } from '#contract/search-words.ts';

/** The words of a search as they were typed. */
const typedWords = (search: string) => searchWords(search).map(([typed]) => typed);

test('a search is its words, folded, with a quoted text as one word', () => {
  expect(typedWords('  Pump LYON\tpump ')).toEqual(['pump', 'lyon']);
  expect(typedWords('"Feed  pump" Lyon')).toEqual(['feed  pump', 'lyon']);
  expect(typedWords('19" rack')).toEqual(['19"', 'rack']);
  expect(typedWords('“Feed pump” lyon')).toEqual(['feed pump', 'lyon']);
  expect(typedWords('"" "')).toEqual([]);
  expect(typedWords(' ')).toEqual([]);
});

test('a quoted text is one word while it is typed too', () => {
  expect(typedWords('lyon "')).toEqual(['lyon']);
  expect(typedWords('lyon "feed p')).toEqual(['lyon', 'feed p']);
});

test('a number or a single character belongs to the word before it', () => {
  expect(typedWords('lyon pump  12')).toEqual(['lyon', 'pump 12']);
  expect(typedWords('pump 12 lyon')).toEqual(['pump 12', 'lyon']);
  expect(typedWords('VAV 3-12 B hall of 7')).toEqual(['vav 3-12 b', 'hall', 'of 7']);
  expect(typedWords('12 lyon 😀')).toEqual(['12', 'lyon 😀']);
  expect(typedWords('hall 12b duct 0024be')).toEqual(['hall 12b', 'duct', '0024be']);
  expect(typedWords('"feed pump" 12')).toEqual(['feed pump', '12']);
});

test('a text contains a search if it contains all of its words', () => {
  expect(containsWords('Feed pump 12\nlyon-7', 'LYON pump')).toBe(true);
  expect(containsWords('Feed pump 12\nlyon-7', 'pump 7')).toBe(false);
  expect(containsWords('Feed pump', '')).toBe(true);
});

test('a number is found behind its word with a space, a hyphen, an underscore or nothing between', () => {
  expect(searchWords('VAV 3-12 b lyon')).toEqual([
    ['vav 3-12 b', 'vav-3-12-b', 'vav_3-12_b', 'vav3-12b'],
    ['lyon'],
  ]);
  for (const name of ['Pump 10', 'pump-10', 'PUMP_102', 'pump10'])
    expect(containsWords(name, 'pump 10')).toBe(true);
  for (const name of ['pump--10', 'pump.10', '10 pump']) expect(containsWords(name, 'pump 10')).toBe(false);
  expect(containsWords('pump-10', '"pump 10"')).toBe(false);
  expect(containsWords('pump-10', 'pump_10')).toBe(false);
  for (const search of ['"pump 10" pump 10', 'pump 10 "pump 10"'])
    expect(searchWords(search)).toEqual([['pump 10']]);
});
