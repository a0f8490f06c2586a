import { colourSlots, type ColourSlot } from './series.ts';

/** Fallbacks without a stylesheet: the colours of the light theme, by slot. */
const FALLBACKS = [
  '#0262c3',
  '#c77c00',
  '#4aa484',
  '#9984f0',
  '#853f00',
  '#560437',
  '#144f78',
  '#646f73',
] as const;

/** The colour of a slot in the current theme, for styles. */
export const seriesColour = (slot: ColourSlot) =>
  `var(--series-${slot}, ${FALLBACKS[slot - 1] ?? 'currentColor'})`;

/** Assigns a colour to every series: existing ones keep theirs; a new series gets the first of the least used. */
export function assignColours(
  seriesIds: readonly string[],
  kept: ReadonlyMap<string, ColourSlot>,
): Map<string, ColourSlot> {
  const assigned = new Map<string, ColourSlot>();
  const uses = new Map<ColourSlot, number>(colourSlots.map((slot) => [slot, 0]));
  const take = (id: string, slot: ColourSlot) => {
    assigned.set(id, slot);
    uses.set(slot, (uses.get(slot) ?? 0) + 1);
  };
  for (const id of seriesIds) {
    const slot = kept.get(id);
    if (slot !== undefined) take(id, slot);
  }
  for (const id of seriesIds) {
    if (!assigned.has(id))
      take(
        id,
        colourSlots.reduce((a, b) => ((uses.get(b) ?? 0) < (uses.get(a) ?? 0) ? b : a)),
      );
  }
  return new Map(seriesIds.map((id) => [id, assigned.get(id) ?? 1]));
}
