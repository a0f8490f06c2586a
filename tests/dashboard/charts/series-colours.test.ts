import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignColours, seriesColour } from '#dashboard/charts/series/series-colours.ts';

describe('the colours of series', () => {
  it('stay with a series when the selection changes', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 20 });
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const first = assignColours(before, new Map());
        const second = assignColours(after, first);
        for (const id of after) {
          expect(second.get(id)).toBeDefined();
          if (first.has(id)) expect(second.get(id)).toBe(first.get(id));
        }
        if (after.length <= 8 && before.length === 0)
          expect(new Set(second.values()).size).toBe(after.length);
      }),
    );
  });

  it('are assigned in order, and the least used after eight', () => {
    const ids = Array.from({ length: 10 }, (_, n) => `s${n}`);
    expect([...assignColours(ids, new Map()).values()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 1, 2]);
  });

  it('come from the stylesheet', () => {
    expect(seriesColour(3)).toMatch(/^var\(--series-3, #/u);
  });
});
