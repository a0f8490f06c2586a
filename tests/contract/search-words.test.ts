import { expect, test } from 'vitest';
import { searchWords } from '#contract/search-words.ts';

test('a search is its words, folded, with a quoted text as one word', () => {
  expect(searchWords('  Pump LYON\tpump ')).toEqual(['pump', 'lyon']);
  expect(searchWords('"Feed  pump" 12')).toEqual(['feed  pump', '12']);
  expect(searchWords('19" rack')).toEqual(['19"', 'rack']);
  expect(searchWords('"" " ')).toEqual(['""', '"']);
  expect(searchWords(' ')).toEqual([]);
});
