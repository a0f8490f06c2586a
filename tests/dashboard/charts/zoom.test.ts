import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DragZoom, zoomedIn, zoomedOut } from '#dashboard/charts/cursor/drag-zoom.ts';
import { toPixel } from '#dashboard/charts/axes/linear-scale.ts';

const span = { fromMs: 1_000_000, toMs: 2_000_000 };
const geometry = {
  plot: { x: 46, y: 22, width: 500, height: 200 },
  x: { base: span.fromMs, origin: 46, factor: 500 / 1_000_000 },
  left: { base: 0, origin: 222, factor: -1 },
  right: undefined,
};

describe('zooming by keys', () => {
  it('halves and doubles, and the time at the cursor keeps its place', () => {
    fc.assert(
      fc.property(fc.integer({ min: span.fromMs, max: span.toMs }), (aroundMs) => {
        const share = (aroundMs - span.fromMs) / 1_000_000;
        for (const [zoomed, width] of [
          [zoomedIn(span, aroundMs), 500_000],
          [zoomedOut(span, aroundMs), 2_000_000],
        ] as const) {
          expect(zoomed.toMs - zoomed.fromMs).toBe(width);
          expect((aroundMs - zoomed.fromMs) / width).toBeCloseTo(share, 5);
        }
      }),
    );
  });

  it('ends at a tenth of a second', () => {
    expect(zoomedIn({ fromMs: 0, toMs: 120 }, 60)).toEqual({ fromMs: 10, toMs: 110 });
  });
});

describe('zooming by a drag', () => {
  it('chooses what lies between press and release, in either direction', () => {
    const drag = new DragZoom();
    drag.start(geometry, 146);
    expect(drag.end(geometry, 246, span)).toEqual({ fromMs: 1_200_000, toMs: 1_400_000 });
    drag.start(geometry, 246);
    expect(drag.end(geometry, 146, span)).toEqual({ fromMs: 1_200_000, toMs: 1_400_000 });
    expect(drag.isActive).toBe(false);
  });

  it('is a click if it hardly moves', () => {
    const drag = new DragZoom();
    drag.start(geometry, 146);
    expect(drag.end(geometry, 149, span)).toBeUndefined();
  });

  it('stays within the plot', () => {
    const drag = new DragZoom();
    drag.start(geometry, 300);
    expect(drag.end(geometry, 9_000, span)?.toMs).toBe(span.toMs);
  });

  it('keeps its first end on its time while a live window moves', () => {
    const drag = new DragZoom();
    drag.start(geometry, 146);
    const moved = { ...geometry, x: { ...geometry.x, base: span.fromMs + 100_000 } };
    expect(toPixel(moved.x, 1_200_000)).toBe(96);
    expect(drag.stretch(moved, 196)).toEqual([96, 196]);
  });
});
