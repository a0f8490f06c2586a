/** `a, b, and c` */
export const formatList = (items: readonly string[]): string => new Intl.ListFormat('en').format(items);
