import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LABEL_HEIGHT_PX, placeLabels } from '#dashboard/charts/draw/end-labels.ts';

const labelsAt = (ys: readonly number[]) => ys.map((y) => ({ text: '', y }));
const placesOf = (ys: readonly number[], top = 0, bottom = 200) =>
  ys.map((_, index) => placeLabels(labelsAt(ys), top, bottom).get(index));

describe('labels at the ends of lines', () => {
  it('stand at their lines where there is room', () => {
    expect(placesOf([100, 40, 160])).toEqual([100, 40, 160]);
  });

  it('move apart to both sides, in the order of their lines', () => {
    expect(placesOf([100, 101, 99])).toEqual([100, 113, 87]);
    expect(placesOf([3, 2], 0, 200)).toEqual([19.5, 6.5]);
    expect(placesOf([198, 199], 0, 200)).toEqual([180.5, 193.5]);
  });

  it('never overlap, leave the plot or change their order, and use all of its room', () => {
    const ys = fc.array(fc.double({ min: -50, max: 350, noNaN: true }), { maxLength: 40 });
    fc.assert(
      fc.property(ys, fc.integer({ min: 20, max: 300 }), (ends, bottom) => {
        const placed = [...placeLabels(labelsAt(ends), 0, bottom)];
        expect(placed.length).toBe(Math.min(ends.length, Math.floor(bottom / LABEL_HEIGHT_PX)));
        const inOrder = placed.toSorted(([, a], [, b]) => a - b);
        for (const [i, [index, y]] of inOrder.entries()) {
          expect(y - LABEL_HEIGHT_PX / 2).toBeGreaterThanOrEqual(-1e-9);
          expect(y + LABEL_HEIGHT_PX / 2).toBeLessThanOrEqual(bottom + 1e-9);
          const [before, beforeY] = inOrder[i - 1] ?? [];
          if (before === undefined || beforeY === undefined) continue;
          expect(y - beforeY).toBeGreaterThanOrEqual(LABEL_HEIGHT_PX - 1e-9);
          expect(ends[before]!).toBeLessThanOrEqual(ends[index]!);
        }
      }),
    );
  });
});
