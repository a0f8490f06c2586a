import { colourSlots, type ColourSlot, type StateSeries } from './series.ts';

/** A slot of the series colours, or `faint` for `false`. */
export type StateColour = ColourSlot | 'faint';

const TRUE_SLOT: ColourSlot = 1;
/** The grey of the slots, which looks like the faint colour of `false`. */
export const GREY_SLOT: ColourSlot = 8;

/**
 * The colour of each state: by its text, so that a state has the same colour in every series, and usually on every page.
 * Where two states of these series would share a colour, the later one by alphabet takes the next.
 */
export function stateColours(series: readonly StateSeries[]): (value: boolean | string) => StateColour {
  const states = new Set(series.flatMap(({ columns }) => columns.value));
  const taken = new Map<boolean | string, ColourSlot>();
  // Also before the first one arrives, so that no text changes its colour then.
  if (series.some(({ kind }) => kind === 'boolean')) taken.set(true, TRUE_SLOT).set(false, GREY_SLOT);
  for (const state of [...states].toSorted())
    if (typeof state === 'string') taken.set(state, freeSlot(state, taken));
  return (value) => {
    if (typeof value === 'boolean') return value ? TRUE_SLOT : 'faint';
    const known = taken.get(value);
    if (known !== undefined) return known;
    // A live state that the history does not have.
    const slot = freeSlot(value, taken);
    taken.set(value, slot);
    return slot;
  };
}

function freeSlot(text: string, taken: ReadonlyMap<boolean | string, ColourSlot>): ColourSlot {
  const used = new Set(taken.values());
  const first = hashOf(text) % colourSlots.length;
  const slots = colourSlots.map((_, step) => colourSlots[(first + step) % colourSlots.length]!);
  return slots.find((slot) => !used.has(slot)) ?? slots[0]!;
}

/** FNV-1a, which spreads short texts well. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
