import { colourSlots, dashStyles, type ColourSlot, type DashStyle } from './series.ts';

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

/** How the line of a series looks. */
export interface SeriesStyle {
  colour: ColourSlot;
  dash: DashStyle;
}

/** Every style, in the order in which they are assigned: all colours solid, then all dashed, and so on. */
const STYLES: readonly SeriesStyle[] = dashStyles.flatMap((dash) =>
  colourSlots.map((colour) => ({ colour, dash })),
);

const PATTERNS: Record<DashStyle, readonly number[]> = {
  solid: [],
  dashed: [9, 4],
  dotted: [2, 3],
  'dash-dotted': [9, 3, 2, 3],
};
const COMPARISON_PATTERN: readonly number[] = [4, 3];

/** Lengths of dashes and gaps, in CSS pixels. */
export const dashPattern = ({ dash = 'solid', comparisonOf }: LineStyle): readonly number[] =>
  comparisonOf === undefined ? PATTERNS[dash] : COMPARISON_PATTERN;

/** Lines of an earlier period are fainter in legends, as they are in charts. */
export const COMPARISON_OPACITY = 0.6;

/** What decides the dashes of a line. */
export interface LineStyle {
  dash?: DashStyle;
  comparisonOf?: string;
}

/** Assigns a style to every series: existing ones keep theirs; a new series gets the first of the least used. */
export function assignStyles(
  seriesIds: readonly string[],
  kept: ReadonlyMap<string, SeriesStyle>,
): Map<string, SeriesStyle> {
  const assigned = new Map<string, SeriesStyle>();
  const uses = new Map<SeriesStyle, number>(STYLES.map((style) => [style, 0]));
  const take = (id: string, style: SeriesStyle) => {
    assigned.set(id, style);
    uses.set(style, (uses.get(style) ?? 0) + 1);
  };
  for (const id of seriesIds) {
    const style = kept.get(id);
    if (style !== undefined) take(id, style);
  }
  for (const id of seriesIds) {
    if (!assigned.has(id))
      take(
        id,
        STYLES.reduce((a, b) => ((uses.get(b) ?? 0) < (uses.get(a) ?? 0) ? b : a)),
      );
  }
  return new Map(seriesIds.map((id) => [id, assigned.get(id) ?? STYLES[0]!]));
}
