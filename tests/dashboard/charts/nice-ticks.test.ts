import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignedScale, niceScale, steadyScale } from '#dashboard/charts/axes/nice-ticks.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const extent = fc.tuple(finite, finite).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
const usual = fc
  .tuple(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: 1e-3, max: 1e9, noNaN: true }))
  .map(([low, width]) => [low, low + width] as const);

describe('a value axis', () => {
  it('contains the values between round, even ticks', () => {
    fc.assert(
      fc.property(usual, fc.integer({ min: 3, max: 12 }), ([min, max], maxTicks) => {
        const { domain, ticks, step } = niceScale([min, max], maxTicks);
        const rounding = (max - min) * 1e-6;
        expect(domain[0]).toBeLessThanOrEqual(min + rounding);
        expect(domain[1]).toBeGreaterThanOrEqual(max - rounding);
        expect(ticks.length).toBeLessThanOrEqual(maxTicks);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        for (const [index, tick] of ticks.entries()) {
          expect(Math.abs(tick - (domain[0] + index * step))).toBeLessThanOrEqual(
            step * 1e-6 + Math.abs(tick) * 1e-12,
          );
        }
      }),
    );
  });

  it('is finite and has a width for any two numbers', () => {
    fc.assert(
      fc.property(extent, (values) => {
        const { domain, ticks } = niceScale(values, 6);
        expect(domain.every(Number.isFinite)).toBe(true);
        expect(domain[1]).toBeGreaterThan(domain[0]);
        expect(ticks.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it('ends on round ticks', () => {
    expect(niceScale([0.3, 0.92], 6).ticks).toEqual([0.2, 0.4, 0.6, 0.8, 1]);
    expect(niceScale([3, 87], 6).ticks).toEqual([0, 20, 40, 60, 80, 100]);
    expect(niceScale([0, 100], 6).ticks).toEqual([0, 20, 40, 60, 80, 100]);
  });

  it('starts on the lowest value if it is a tick apart from rounding', () => {
    expect(niceScale([0.3, 0.7], 6).ticks).toEqual([0.3, 0.4, 0.5, 0.6, 0.7]);
  });

  it('has at least three ticks', () => {
    expect(niceScale([3, 87], 1).ticks).toEqual([0, 50, 100]);
  });

  it('widens around a constant, and is 0 to 1 without values', () => {
    expect(niceScale([5, 5], 5).domain[0]).toBeLessThan(5);
    expect(niceScale([5, 5], 5).domain[1]).toBeGreaterThan(5);
    expect(niceScale([0, 0], 5).domain).toEqual([0, 1]);
    expect(niceScale(undefined, 5).domain).toEqual([0, 1]);
  });

  it('lies on the grid of another with as many ticks', () => {
    fc.assert(
      fc.property(usual, fc.integer({ min: 3, max: 9 }), ([min, max], count) => {
        const { domain, ticks } = alignedScale([min, max], count);
        const rounding = (max - min) * 1e-6;
        expect(ticks).toHaveLength(count);
        expect(domain[0]).toBeLessThanOrEqual(min + rounding);
        expect(domain[1]).toBeGreaterThanOrEqual(max - rounding);
      }),
    );
  });
});

describe('a value axis that is followed', () => {
  const fresh = (values: readonly [number, number] | undefined) => niceScale(values, 6);
  const before = fresh([0, 100]);

  it('stays while values fit', () => {
    expect(steadyScale(before, [20, 80], fresh)).toBe(before);
  });
  it('shrinks when values need a third of it or less', () => {
    expect(steadyScale(before, [20, 58], fresh)).toBe(before);
    expect(steadyScale(before, [20, 50], fresh).domain).toEqual([20, 50]);
  });
  it('grows when a value does not fit', () => {
    expect(steadyScale(before, [20, 120], fresh).domain[1]).toBeGreaterThanOrEqual(120);
  });
  it('shrinks after a spike has left', () => {
    expect(steadyScale(before, [10, 12], fresh).domain[1]).toBeLessThan(20);
  });
  it('stays without values', () => {
    expect(steadyScale(before, undefined, fresh)).toBe(before);
  });
});
