/**
 * Series grouped for charts of at most two value axes: by unit, in the order in which the units first appear. A third
 * unit gets a chart of its own rather than an axis that would mean two things.
 */
export function splitByUnit<T extends { unit: string | null }>(series: readonly T[]): T[][] {
  const units = [...new Set(series.map(({ unit }) => unit))];
  const groups: T[][] = [];
  for (let i = 0; i < units.length; i += 2) {
    const pair = units.slice(i, i + 2);
    groups.push(series.filter(({ unit }) => pair.includes(unit)));
  }
  return groups;
}
