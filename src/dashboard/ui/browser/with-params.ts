/** The parameters with some changes; an empty value removes its parameter. */
export const withParams = (
  params: URLSearchParams,
  changes: Record<string, string | readonly string[]>,
): URLSearchParams => {
  const next = new URLSearchParams(params);
  for (const [name, values] of Object.entries(changes)) {
    next.delete(name);
    for (const value of [values].flat()) if (value !== '') next.append(name, value);
  }
  return next;
};
