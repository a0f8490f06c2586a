import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StateSeries } from '#dashboard/charts/series/series.ts';
import { GREY_SLOT, stateColours } from '#dashboard/charts/series/state-colours.ts';

const modes = (id: string, value: (string | boolean)[]): StateSeries => ({
  id,
  label: id,
  unit: null,
  colour: 3,
  kind: 'string',
  columns: { ts: value.map((_, index) => index), value },
});

describe('the colours of states', () => {
  it('depend on the states, not on the series or their order', () => {
    const [first, second] = [modes('a', ['idle', 'heating', 'defrost']), modes('b', ['defrost', 'idle'])];
    const [one, other] = [stateColours([first, second]), stateColours([second, first])];
    for (const state of ['idle', 'heating', 'defrost']) expect(one(state)).toBe(other(state));
  });

  it('differ among up to eight states', () => {
    const states = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(states, (texts) => {
        const colourOf = stateColours([modes('a', texts)]);
        expect(new Set(texts.map(colourOf)).size).toBe(texts.length);
      }),
    );
  });

  it('of texts differ from those of booleans in the same chart', () => {
    const states = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(states, (texts) => {
        // The booleans arrive later.
        const colourOf = stateColours([modes('a', texts), { ...modes('b', []), kind: 'boolean' }]);
        expect(texts.map(colourOf)).not.toContain(colourOf(true));
        // A grey text would look like false.
        expect(texts.map(colourOf)).not.toContain(GREY_SLOT);
      }),
    );
  });

  it('are given to states that arrive later, too', () => {
    const colourOf = stateColours([modes('a', ['idle'])]);
    expect(colourOf('alarm')).not.toBe(colourOf('idle'));
    expect(colourOf('alarm')).toBe(colourOf('alarm'));
  });

  it('leave false without one', () => {
    const colourOf = stateColours([modes('a', [true, false])]);
    expect(colourOf(false)).toBe('faint');
    expect(colourOf(true)).not.toBe('faint');
  });
});
