/** How specifically a media range matches a type: 2 exactly, 1 by its main type, 0 any type, -1 not at all. */
const fitOf = (range: string, type: string): number => {
  if (range === type) return 2;
  if (range === `${type.split('/')[0]}/*`) return 1;
  return range === '*/*' ? 0 : -1;
};

const qualityOf = (parameters: readonly string[]): number => {
  const q = parameters
    .map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/i.exec(text)?.[1])
    .find((text) => text !== undefined);
  return q === undefined ? 1 : Number(q);
};

/**
 * The preferred type of an `Accept` header (RFC 9110, 12.5.1). Of equally preferred types, the first; undefined if none
 * is acceptable.
 */
export const preferredType = <T extends string>(
  accept: string | undefined,
  types: readonly T[],
): T | undefined => {
  if (accept === undefined || accept.trim() === '') return types[0];
  const ranges = accept.split(',').map((text) => {
    const [range = '', ...parameters] = text.split(';');
    return { range: range.trim().toLowerCase(), q: qualityOf(parameters) };
  });
  const preference = (type: T): number => {
    const fits = ranges.map(({ range, q }) => ({ fit: fitOf(range, type), q })).filter(({ fit }) => fit >= 0);
    // The most specific range decides.
    return fits.toSorted((a, b) => b.fit - a.fit || b.q - a.q)[0]?.q ?? 0;
  };
  const [best] = types
    .map((type) => ({ type, q: preference(type) }))
    .filter(({ q }) => q > 0)
    .toSorted((a, b) => b.q - a.q);
  return best?.type;
};
