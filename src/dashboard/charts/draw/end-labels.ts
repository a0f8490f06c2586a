/** A name beside the end of a line. */
export interface EndLabel {
  text: string;
  /** The end of the line, in CSS pixels. */
  y: number;
}

export const LABEL_HEIGHT_PX = 13;

/** Moves ascending places apart, and into `top` to `bottom`: downwards first, then what is below the bottom upwards. */
function moveApart(wanted: readonly number[], top: number, bottom: number): number[] {
  const places: number[] = [];
  for (const y of wanted)
    places.push(Math.max(y, (places.at(-1) ?? top - LABEL_HEIGHT_PX / 2) + LABEL_HEIGHT_PX));
  let limit = bottom - LABEL_HEIGHT_PX / 2;
  for (let i = places.length - 1; i >= 0; i -= 1) {
    places[i] = Math.min(places[i]!, limit);
    limit = places[i]! - LABEL_HEIGHT_PX;
  }
  return places;
}

/**
 * Places labels near their lines, without overlap and within `top` to `bottom`, in the order of the lines. Returns their
 * middles, by the index of the label. Labels beyond the room are left out, the last ones first.
 */
export function placeLabels(
  labels: readonly EndLabel[],
  top: number,
  bottom: number,
): ReadonlyMap<number, number> {
  const room = Math.max(0, Math.floor((bottom - top) / LABEL_HEIGHT_PX));
  const order = [...labels.keys()].slice(0, room).toSorted((a, b) => labels[a]!.y - labels[b]!.y);
  const wanted = order.map((index) => labels[index]!.y);
  const down = moveApart(wanted, top, bottom);
  const up = moveApart(
    wanted.toReversed().map((y) => -y),
    -bottom,
    -top,
  ).toReversed();
  // The mean of moving down and of moving up keeps the distances, and spreads labels to both sides.
  return new Map(order.map((index, i) => [index, (down[i]! - up[i]!) / 2]));
}
