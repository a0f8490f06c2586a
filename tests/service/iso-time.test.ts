import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toIsoTime } from '#service/platform/iso-time.ts';

const MAX_DATE_MS = 8_640_000_000_000_000;

it('formats times in any order as Date does', () => {
  const anyTime = fc.integer({ min: -MAX_DATE_MS, max: MAX_DATE_MS });
  const sameDay = fc.integer({ min: -90_000_000, max: 90_000_000 }).map((ms) => Date.UTC(2026, 10, 23) + ms);
  fc.assert(
    fc.property(fc.array(fc.oneof(anyTime, sameDay, sameDay)), (times) => {
      expect(times.map(toIsoTime)).toEqual(times.map((ms) => new Date(ms).toISOString()));
    }),
  );
});

it('rejects text that is not a time', () => {
  expect(() => toIsoTime(NaN)).toThrow(RangeError);
  expect(() => toIsoTime(MAX_DATE_MS + 1)).toThrow(RangeError);
});
