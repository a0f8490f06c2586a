const names: Record<string, string> = {
  '/name': 'Name',
  '/type': 'Type',
  '/interval': 'Interval',
  '/destination': 'Destination',
  '/mapping/expression': 'Expression',
};

/** What a pointer into a pipeline names, as the form calls it. */
export const fieldInWords = (pointer: string): string => {
  const last = pointer.split('/').at(-1) ?? '';
  return names[pointer] ?? last.charAt(0).toUpperCase() + last.slice(1);
};
