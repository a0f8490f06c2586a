import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignStyles, dashPattern, seriesColour } from '#dashboard/charts/series/series-style.ts';

describe('the styles of series', () => {
  it('stay with a series when the selection changes', () => {
    const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 20 });
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const first = assignStyles(before, new Map());
        const second = assignStyles(after, first);
        for (const id of after) {
          expect(second.get(id)).toBeDefined();
          if (first.has(id)) expect(second.get(id)).toBe(first.get(id));
        }
        if (after.length <= 8 && before.length === 0)
          expect(new Set(second.values()).size).toBe(after.length);
      }),
    );
  });

  it('are eight colours, then the same colours with other dashes', () => {
    const ids = Array.from({ length: 32 }, (_, n) => `s${n}`);
    const styles = [...assignStyles(ids, new Map()).values()];
    expect(styles.slice(0, 8).map(({ colour }) => colour)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(styles.slice(0, 8).every(({ dash }) => dash === 'solid')).toBe(true);
    expect(styles[8]).toEqual({ colour: 1, dash: 'dashed' });
    expect(new Set(styles.map((style) => `${style.colour} ${dashPattern(style).join(',')}`)).size).toBe(32);
  });

  it('give the place of a removed series to the next new one', () => {
    const first = assignStyles(['a', 'b', 'c'], new Map());
    expect(assignStyles(['a', 'c', 'd'], first).get('d')).toEqual(first.get('b'));
  });

  it('have colours that come from the stylesheet', () => {
    expect(seriesColour(3)).toMatch(/^var\(--series-3, #/u);
  });
});
