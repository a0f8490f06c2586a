import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lowerBound, nearestIndex } from '#dashboard/charts/series/search.ts';

const ascending = fc
  .array(fc.integer({ min: -50, max: 50 }))
  .map((values) => values.toSorted((a, b) => a - b));

describe('the search in a column', () => {
  it('finds the first value that is not smaller', () => {
    fc.assert(
      fc.property(ascending, fc.integer({ min: -60, max: 60 }), (values, wanted) => {
        const found = values.findIndex((value) => value >= wanted);
        expect(lowerBound(values, wanted, 0, values.length)).toBe(found === -1 ? values.length : found);
      }),
    );
  });

  it('finds a nearest value', () => {
    fc.assert(
      fc.property(ascending, fc.integer({ min: -60, max: 60 }), (values, wanted) => {
        const index = nearestIndex(values, wanted, 0, values.length);
        if (values.length === 0) expect(index).toBe(-1);
        else {
          const distance = Math.min(...values.map((value) => Math.abs(value - wanted)));
          expect(Math.abs((values[index] ?? Infinity) - wanted)).toBe(distance);
        }
      }),
    );
  });

  it('finds the earlier of two values that are equally near', () => {
    expect(nearestIndex([1, 3], 2, 0, 2)).toBe(0);
  });

  it('stays within the given rows', () => {
    expect(lowerBound([1, 2, 3, 4], 0, 2, 4)).toBe(2);
    expect(nearestIndex([1, 2, 3, 4], 9, 0, 2)).toBe(1);
  });
});
