import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenEnd, shortenMiddle } from '#dashboard/charts/draw/shorten-text.ts';

describe('a text that is too long', () => {
  const widthOf = (text: string) => Array.from(text).length;

  it('loses its middle as a name, and keeps both ends', () => {
    expect(shortenMiddle('Pump 12 · Flow temperature', 13, widthOf)).toBe('Pump 1…rature');
    expect(shortenMiddle('Pump 12', 13, widthOf)).toBe('Pump 12');
  });

  it('loses its end as a state, and is left out if less than three letters remain', () => {
    expect(shortenEnd('defrosting', 6, 3, widthOf)).toBe('defro…');
    expect(shortenEnd('defrosting', 4, 3, widthOf)).toBe('def…');
    expect(shortenEnd('defrosting', 3, 3, widthOf)).toBe('');
    expect(shortenEnd('on', 2, 3, widthOf)).toBe('on');
  });

  it('fits and keeps whole characters, whatever it contains', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, room) => {
        for (const made of [shortenMiddle(text, room, widthOf), shortenEnd(text, room, 3, widthOf)]) {
          expect(widthOf(made)).toBeLessThanOrEqual(room);
          expect(made.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
