/** The slug of a name, for topics and URLs. Empty if the name has no usable character. */
export const slugOf = (name: string, max = 100): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._:]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, max);
