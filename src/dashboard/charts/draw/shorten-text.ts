const segmenter = new Intl.Segmenter();

/** Shortens a text in the middle, where names of devices and metrics differ least. */
export const shortenMiddle = (text: string, roomPx: number, widthOf: (text: string) => number): string =>
  shorten(text, roomPx, widthOf, (characters, kept) => {
    const end = characters.slice(characters.length - Math.floor(kept / 2));
    return `${characters.slice(0, Math.ceil(kept / 2)).join('')}…${end.join('')}`;
  });

/** Shortens a text at its end. Empty if fewer than `least` characters fit. */
export function shortenEnd(
  text: string,
  roomPx: number,
  least: number,
  widthOf: (text: string) => number,
): string {
  return shorten(text, roomPx, widthOf, (characters, kept) =>
    kept < least ? '' : `${characters.slice(0, kept).join('')}…`,
  );
}

/** The text, or as many of its characters as fit. `keep` makes the text with `kept` of them. */
function shorten(
  text: string,
  roomPx: number,
  widthOf: (text: string) => number,
  keep: (characters: readonly string[], kept: number) => string,
): string {
  if (widthOf(text) <= roomPx) return text;
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  let [low, high] = [0, characters.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (widthOf(keep(characters, middle)) <= roomPx) low = middle;
    else high = middle - 1;
  }
  return keep(characters, low);
}
