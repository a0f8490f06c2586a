import { expect, test } from 'vitest';
import { dateOrdersOf, onlyOrderOf } from '#contract/date-order.ts';

test.each([
  ['3/4/2026 5:55 PM', ['2026-04-03', '2026-03-04']],
  ['03-04-26 17:55', ['2026-04-03', '2026-03-04']],
  ['3.4.2026 17:55', ['2026-04-03']],
  ['4/4/2026T17:55', ['2026-04-04']],
  ['28/11/2026 17:55', ['2026-11-28']],
  ['11/28/2026, 17:55', ['2026-11-28']],
  ['13/13/2026 17:55', []],
  ['2026/11/28 17:55', []],
  ['28.11.2026', []],
  [1_764_352_500, []],
])('the dates that %s can be', (value, dates) => {
  expect(dateOrdersOf(value).map(({ date }) => date)).toEqual(dates);
});

test('a date that two orders read differently has no only order', () => {
  expect(onlyOrderOf('3/4/2026 17:55')).toBeUndefined();
  expect(onlyOrderOf('3.4.2026 17:55')).toBe('day-first');
  expect(onlyOrderOf('11/28/2026 17:55')).toBe('month-first');
});
