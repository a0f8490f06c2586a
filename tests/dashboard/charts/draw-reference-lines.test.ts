import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LINE_HEIGHT_PX, placeTexts } from '#dashboard/charts/draw/draw-reference-lines.ts';

it('texts of reference lines stand above their lines, and those of equal lines above each other', () => {
  expect(placeTexts([200, 100], 0)).toEqual([193, 93]);
  expect(placeTexts([100, 100, 97], 0)).toEqual([93, 79, 65]);
});

it('at the top of the plot, the text of a reference line is below it', () => {
  expect(placeTexts([4], 0)).toEqual([11]);
});

it('texts of reference lines never overlap or leave the plot at its top', () => {
  const places = fc.array(fc.double({ min: 0, max: 300, noNaN: true }), { maxLength: 8 });
  fc.assert(
    fc.property(places, (given) => {
      const placed = placeTexts(
        given.toSorted((a, b) => b - a),
        0,
      ).toSorted((a, b) => a - b);
      for (const [index, y] of placed.entries())
        expect(y).toBeGreaterThanOrEqual((placed[index - 1] ?? -LINE_HEIGHT_PX / 2) + LINE_HEIGHT_PX - 1e-9);
    }),
  );
});
